import type { Socket } from 'node:net'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server is told to close: what would go on for ever must end. */
    closing: AbortSignal
  }
}

// Enough for what is on the wire to arrive.
const silentMs = 500

/**
 * Lets the server end soon once it is told to close: what is under way is answered and ends its
 * connection. Node closes connections that rest between requests, but would wait for those on
 * which nothing was ever asked, and for bodies that never come.
 */
export function addGracefulClose(http: Http, requestTimeoutMs: number): void {
  const silent = new Set<Socket>()
  const closing = new AbortController()
  http.decorate('closing', closing.signal)

  http.server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  http.addHook('onRequest', ({ raw }, _reply, done) => {
    silent.delete(raw.socket)
    done()
  })
  http.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing.signal.aborted) reply.header('Connection', 'close')
    done()
  })
  http.addHook('preClose', async () => {
    closing.abort()
    setTimeout(() => silent.forEach((socket) => void socket.destroy()), silentMs).unref()
    // The time a request has to arrive, and half of it again for its answer.
    setTimeout(() => http.server.closeAllConnections(), requestTimeoutMs * 1.5).unref()
  })
}
