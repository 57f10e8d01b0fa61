import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '#base/kit/clock.ts'
import type { Http } from './http.ts'
import { probes } from './overload.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server starts to close; streams that have no end of their own stop. */
    closing: AbortSignal
    /** From now on each answer closes its connection. */
    drain(): void
    /** Waits until nothing but probes was asked for within a second, ten seconds at most. */
    untilUnused(): Promise<void>
  }
}

// Time for a request that is on its way on a new connection.
const unusedGraceMs = 500
// A proxy on a busy machine may need a while to notice that a process stops.
const quietMs = 1000
const quietMaxMs = 10_000

/**
 * Answers every request that has arrived when the server closes, and bounds the time that this
 * takes. A connection in use ends with an answer that says so, since a client that sends its next
 * request in the moment in which an idle connection is closed is reset.
 */
export function addGracefulClose(http: Http, requestTimeoutMs: number): void {
  const closing = new AbortController()
  /** How many requests are in progress on each connection. */
  const open = new Map<Socket, number>()
  const end = (afterMs: number, inProgressMax: number) =>
    setTimeout(() => {
      const left = [...open].filter(([, inProgress]) => inProgress <= inProgressMax)
      if (left.length > 0 && inProgressMax > 0)
        http.log.warn({ connections: left.length }, 'connections were cut off')
      for (const [socket] of left) socket.destroy()
    }, afterMs)
  let isDraining = false
  let askedMs = -Infinity
  http.server.on('connection', (socket: Socket) => {
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })
  http.server.on('request', ({ socket }, response) => {
    const add = (more: number) => void open.set(socket, (open.get(socket) ?? 0) + more)
    add(1)
    response.once('close', () => open.has(socket) && add(-1))
  })
  http.decorate('closing', closing.signal)
  http.decorate('drain', () => {
    isDraining = true
  })
  http.decorate('untilUnused', async () => {
    const untilMs = monotonicMs() + quietMaxMs
    while (monotonicMs() < Math.min(untilMs, askedMs + quietMs)) await sleep(10)
  })
  http.addHook('onSend', (request, reply, _payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    if (!probes.has(request.routeOptions.url ?? '')) askedMs = monotonicMs()
    done()
  })
  http.addHook('preClose', async () => {
    http.drain()
    closing.abort()
    // What has arrived on idle connections is read in this turn; Node would close them unread.
    await nextTurn()
    const closed = new Promise((resolve) => http.server.close(resolve))
    const timers = [
      end(unusedGraceMs, 0),
      // A request may take the timeout to arrive; its answer gets half as long again.
      end(requestTimeoutMs * 1.5, Infinity),
    ]
    await closed
    for (const timer of timers) clearTimeout(timer)
  })
}
