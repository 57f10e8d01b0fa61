import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Lets a server listen on the loopback interface, on any free port by default; returns its URL. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// Below those that connections get for their own end, of which a busy machine has thousands: one
// of these would be taken again before the program listens.
const ports = { from: 20_000, to: 32_000 }

/** A port that was free a moment ago, for a program that must be told one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to)
    const server = createServer()
    try {
      await listen(server, port)
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
