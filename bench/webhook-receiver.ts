import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A program of its own: a merchant's server that answers each webhook with 204 at once and counts
// them by path. A GET of a path returns that path's count. Its URL is its first line of output.

/** The webhooks that arrived at one path. */
export interface ReceivedWebhooks {
  /** Distinct events: a webhook that is delivered twice counts once. */
  count: number
  firstMs: number
  lastMs: number
}

const counters = new Map<string, { ids: Set<unknown>; firstMs: number; lastMs: number }>()
const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
  const { method, url = '/', headers } = request
  const counter = counterOf(url)
  if (method === 'GET') {
    const { ids, firstMs, lastMs } = counter
    return void response.end(JSON.stringify({ count: ids.size, firstMs, lastMs }))
  }
  request.resume().on('end', () => {
    counter.ids.add(headers['webhook-id'])
    counter.lastMs = nowMs()
    counter.firstMs ||= counter.lastMs
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))

function counterOf(path: string) {
  const counter = counters.get(path) ?? { ids: new Set(), firstMs: 0, lastMs: 0 }
  counters.set(path, counter)
  return counter
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
