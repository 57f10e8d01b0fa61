import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Receives webhooks and counts them; GET tells how many.
let received = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(received))
    return
  }
  received += 1
  request.resume()
  request.on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))
