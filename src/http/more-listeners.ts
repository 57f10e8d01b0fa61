/*
 * WORKAROUND. Lets many sockets listen on one port.
 *
 * Why: Node accepts one connection of a listening socket in a turn of the event loop. Where many
 * connections that are kept make turns long, new ones wait for seconds, and then minutes, though
 * they could be served or refused at once.
 * Gain: 64 connections in a turn instead of one.
 * Must never: let a second gateway share the port by chance; who calls it finds out before whether
 * anybody listens there.
 * Tested by: `run/listen.test.ts`, with turns that take long.
 */
import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What listens on the port of the server beside the server. */
    moreListeners: Server[]
  }
}

const listenersMax = 64

/** Listens on the port of a server that listens with SO_REUSEPORT, until that is closed. */
export async function listenMore(
  http: Http,
  at: { host: string; port: number; backlog: number },
): Promise<void> {
  // As an HTTP server treats its connections.
  const options = { allowHalfOpen: true, noDelay: true }
  const take = (socket: Socket) => void http.server.emit('connection', socket)
  while (http.moreListeners.length < listenersMax - 1) {
    const listener = createServer(options, take)
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen({ ...at, reusePort: true }, resolve)
    })
    http.moreListeners.push(listener)
  }
}
