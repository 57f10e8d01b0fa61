import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server starts to close; streams that have no end of their own stop. */
    closing: AbortSignal
    /** From now on each answer closes its connection. */
    drain(): void
  }
}

// Time for a request that is on its way on a new connection.
const unusedGraceMs = 500

/**
 * Answers every request that has arrived when the server closes, and bounds the time that this
 * takes. A connection in use ends with an answer that says so, since a client that sends its next
 * request in the moment in which an idle connection is closed is reset.
 */
export function addGracefulClose(http: Http, requestTimeoutMs: number): void {
  const closing = new AbortController()
  const open = new Set<Socket>()
  const end = (afterMs: number, isOver: (socket: Socket) => boolean) =>
    setTimeout(() => {
      for (const socket of open) if (isOver(socket)) socket.destroy()
    }, afterMs)
  let isDraining = false
  http.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  http.decorate('closing', closing.signal)
  http.decorate('drain', () => {
    isDraining = true
  })
  http.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    done()
  })
  http.addHook('preClose', async () => {
    http.drain()
    closing.abort()
    // What has arrived on idle connections is read in this turn; Node would close them unread.
    await nextTurn()
    const closed = new Promise((resolve) => http.server.close(resolve))
    const timers = [
      end(unusedGraceMs, ({ bytesRead }) => bytesRead === 0),
      // A request may take the timeout to arrive; its answer gets half as long again.
      end(requestTimeoutMs * 1.5, () => true),
    ]
    await closed
    for (const timer of timers) clearTimeout(timer)
  })
}
