import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createMessageReader } from './http-messages.ts'

// A program of its own: a merchant's server that answers each webhook with 204 at once and counts
// them by path. A GET of a path returns that path's count. Its URL is its first line of output.

/** The webhooks that arrived at one path. */
export interface ReceivedWebhooks {
  /** Distinct events: a webhook that is delivered twice counts once. */
  count: number
  firstMs: number
  lastMs: number
}

const keepAlive = 'connection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\n'
const noContent = `HTTP/1.1 204 No Content\r\n${keepAlive}`

const counters = new Map<string, { ids: Set<unknown>; firstMs: number; lastMs: number }>()
const server = createServer({ noDelay: true }, (socket) => {
  const read = createMessageReader((head) => socket.write(responseTo(head), 'latin1'))
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

function responseTo(head: string): string {
  const [method, path = '/'] = head.split(' ', 2)
  const counter = counterOf(path)
  if (method === 'GET') {
    const { ids, firstMs, lastMs } = counter
    const body = JSON.stringify({ count: ids.size, firstMs, lastMs })
    return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${keepAlive}${body}`
  }
  const [, id] = /\r\nwebhook-id: *([^\r]*)/i.exec(head) ?? []
  // Copied: a substring would keep the whole message in memory.
  counter.ids.add(id && Buffer.from(id).toString())
  counter.lastMs = nowMs()
  counter.firstMs ||= counter.lastMs
  return noContent
}

function counterOf(path: string) {
  const counter = counters.get(path) ?? { ids: new Set(), firstMs: 0, lastMs: 0 }
  counters.set(path, counter)
  return counter
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
