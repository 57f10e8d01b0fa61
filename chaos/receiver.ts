import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readJob } from './child.ts'
import { openJournal } from './journal.ts'

// A program of its own: a merchant's server that writes each delivery to its journal and then
// answers 204. It prints its address. It is told the path of its journal and is never killed.

const { journalPath } = await readJob<{ journalPath: string }>()
const journal = openJournal(journalPath)
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

const server = createServer({ noDelay: true, keepAliveTimeout: 0 }, (request, response) => {
  const { url: path = '/', headers } = request
  const [id, timestamp, signature] = names.map((name) => headers[name] ?? '')
  let text = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  request.on('end', () => {
    journal.append(['got', Date.now(), path, id, timestamp, signature, text])
    // A delivery is acknowledged only when it is in the journal.
    journal.flush()
    response.writeHead(204).end()
  })
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
