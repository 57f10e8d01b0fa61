import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What has come to one address. */
export interface Received {
  /** Events; the same one twice counts once. */
  count: number
  firstMs: number
  lastMs: number
}

// Receives webhooks and answers at once; GET of an address tells what has come there.
const boxes = new Map<string, { ids: Set<unknown>; firstMs: number; lastMs: number }>()
const server = createServer((request, response) => {
  const address = request.url ?? '/'
  if (request.method === 'GET') {
    const { ids, firstMs, lastMs } = boxOf(address)
    response.end(JSON.stringify({ count: ids.size, firstMs, lastMs }))
    return
  }
  const box = boxOf(address)
  box.ids.add(request.headers['webhook-id'])
  box.lastMs = nowMs()
  box.firstMs ||= box.lastMs
  request.resume()
  request.on('end', () => response.writeHead(204).end())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))

function boxOf(address: string) {
  const box = boxes.get(address) ?? { ids: new Set(), firstMs: 0, lastMs: 0 }
  boxes.set(address, box)
  return box
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
