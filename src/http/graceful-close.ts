import type { Socket } from 'node:net'
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '../kit/clock.ts'
import type { Connections } from './connections.ts'
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
// Time for a client to close its side after we have closed ours.
const lingerMs = 1000
const turnsMax = 100

/**
 * Answers every request that has arrived when the server closes, and bounds the time that this
 * takes. Closing a socket with unread bytes would reset it, and Node closes idle connections without
 * reading them: so here they are read first, then only our side is closed, until the client has
 * closed its own.
 */
export function addGracefulClose(http: Http, requestTimeoutMs: number): void {
  const { connections } = http
  const closing = new AbortController()
  let isDraining = false
  http.decorate('closing', closing.signal)
  http.decorate('drain', () => {
    isDraining = true
  })
  http.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // Requests that were sent ahead are answered too.
    if (isDraining && !connections.hasMore(raw.socket)) reply.header('Connection', 'close')
    done()
  })
  http.addHook('preClose', async () => {
    http.drain()
    closing.abort()
    // A request may take the timeout to arrive; its answer gets half as long again.
    const deadlineMs = monotonicMs() + requestTimeoutMs * 1.5
    await readWhatHasArrived(connections)
    // Unlike the method of HTTP servers, this one leaves connections alone.
    if (http.server.listening) Server.prototype.close.call(http.server)
    await endIdle(connections, deadlineMs)
    http.server.closeAllConnections()
  })
}

/** Runs the event loop until it brings neither connections nor requests. */
async function readWhatHasArrived(connections: Connections): Promise<void> {
  let seen = -1
  for (let turns = 0; turns < turnsMax && seen !== connections.arrived; turns += 1) {
    seen = connections.arrived
    // The first turn accepts connections, the second reads from them.
    await nextTurn()
    await nextTurn()
  }
}

/** Ends each connection once it is idle, and waits until all are closed or the time is over. */
async function endIdle(connections: Connections, deadlineMs: number): Promise<void> {
  const closeAtMs = new Map<Socket, number>()
  const bytesSeen = new Map<Socket, number>()
  const startMs = monotonicMs()
  for (let nowMs = startMs; connections.size > 0 && nowMs < deadlineMs; nowMs = monotonicMs()) {
    for (const { socket, isUsed } of connections.idle()) {
      const isQuiet = bytesSeen.get(socket) === socket.bytesRead
      bytesSeen.set(socket, socket.bytesRead)
      const atMs = closeAtMs.get(socket)
      if (atMs !== undefined && nowMs >= atMs) socket.destroy()
      // Part of a request has arrived, or its first byte is still awaited.
      else if (atMs === undefined && isQuiet && (isUsed || nowMs - startMs >= unusedGraceMs)) {
        socket.end()
        closeAtMs.set(socket, nowMs + lingerMs)
      }
    }
    await sleep(5)
  }
}
