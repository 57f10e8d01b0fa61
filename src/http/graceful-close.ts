import type { Socket } from 'node:net'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server starts to close; streams that have no end of their own stop. */
    closing: AbortSignal
  }
}

// Time for a request that is on its way on a new connection.
const unusedGraceMs = 500

/**
 * Bounds the time that closing the server takes. Requests in progress are answered with
 * `Connection: close`. Node closes idle keep-alive connections itself, but would wait for
 * connections that never sent a request and for bodies that never arrive.
 */
export function addGracefulClose(http: Http, requestTimeoutMs: number): void {
  const unused = new Set<Socket>()
  const closing = new AbortController()
  http.decorate('closing', closing.signal)

  http.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  http.addHook('onRequest', ({ raw }, _reply, done) => {
    unused.delete(raw.socket)
    done()
  })
  http.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing.signal.aborted) reply.header('Connection', 'close')
    done()
  })
  http.addHook('preClose', async () => {
    closing.abort()
    setTimeout(() => unused.forEach((socket) => void socket.destroy()), unusedGraceMs).unref()
    // A request may take the timeout to arrive; its answer gets half as long again.
    setTimeout(() => http.server.closeAllConnections(), requestTimeoutMs * 1.5).unref()
  })
}
