import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Lets a server listen on the loopback interface, on any free port by default; returns its URL. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A port that was free a moment ago, for a program that must be told one. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listen(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}
