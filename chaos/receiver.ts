import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createMessageReader } from '../bench/http-messages.ts'
import { readJob } from './child.ts'
import { openJournal } from './journal.ts'

// A program of its own: a merchant's server that writes each delivery to its journal and then
// answers 204. It prints its address. It is told the path of its journal and is never killed.

const { journalPath } = await readJob<{ journalPath: string }>()
const journal = openJournal(journalPath)
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
const noContent = 'HTTP/1.1 204 No Content\r\nconnection: keep-alive\r\n\r\n'

const server = createServer({ noDelay: true }, (socket) => {
  const read = createMessageReader((head, body) => {
    const [, path = '/'] = head.split(' ', 2)
    const [id, timestamp, signature] = names.map((name) => headerOf(head, name))
    const text = Buffer.from(body, 'latin1').toString()
    journal.append(['got', Date.now(), path, id, timestamp, signature, text])
    // A delivery is acknowledged only when it is in the journal.
    journal.flush()
    socket.write(noContent)
  })
  socket.on('data', (chunk) => {
    try {
      read(chunk.toString('latin1'))
    } catch {
      socket.destroy()
    }
  })
  socket.on('error', () => socket.destroy())
})
// On all addresses of this machine: each looks like the server of another merchant.
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => {
  journal.close()
  process.exit(0)
})

function headerOf(head: string, name: string): string {
  const [, value = ''] = new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head) ?? []
  return value
}
