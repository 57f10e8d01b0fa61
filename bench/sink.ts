import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { messageReader } from './messages.ts'

/** What has come to one address. */
export interface Received {
  /** Events; the same one twice counts once. */
  count: number
  firstMs: number
  lastMs: number
}

const kept = 'connection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\n'
const taken = `HTTP/1.1 204 No Content\r\n${kept}`

// Receives webhooks and answers at once; GET of an address tells what has come there.
const boxes = new Map<string, { ids: Set<unknown>; firstMs: number; lastMs: number }>()
const server = createServer({ noDelay: true }, (socket) => {
  const read = messageReader((head) => socket.write(answerTo(head), 'latin1'))
  socket.on('data', (chunk) => {
    try {
      read(chunk.toString('latin1'))
    } catch (error) {
      console.error(`The sink: ${(error as Error).message}`)
      socket.destroy()
    }
  })
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))

function answerTo(head: string): string {
  const [method, address = '/'] = head.split(' ', 2)
  const box = boxOf(address)
  if (method === 'GET') {
    const { ids, firstMs, lastMs } = box
    const body = JSON.stringify({ count: ids.size, firstMs, lastMs })
    return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${kept}${body}`
  }
  const [, id] = /\r\nwebhook-id: *([^\r]*)/i.exec(head) ?? []
  // A copy: as a part of the head it would keep the whole message in memory.
  box.ids.add(id && Buffer.from(id).toString())
  box.lastMs = nowMs()
  box.firstMs ||= box.lastMs
  return taken
}

function boxOf(address: string) {
  const box = boxes.get(address) ?? { ids: new Set(), firstMs: 0, lastMs: 0 }
  boxes.set(address, box)
  return box
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
