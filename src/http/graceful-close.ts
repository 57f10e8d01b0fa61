import cluster from 'node:cluster'
import type { AddressInfo, Socket } from 'node:net'
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '../kit/clock.ts'
import { closeListener } from './close-listener.ts'
import type { Connections } from './connections.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server starts to close; streams that have no end of their own stop. */
    closing: AbortSignal
    /** From now on each answer closes its connection. */
    drain(): void
    /** Waits until connections that are in use have ended with an answer, two seconds at most. */
    untilNoneIsUsed(): Promise<void>
    /** Waits until no connection was handed to this process for a moment, three seconds at most. */
    untilNoneHandedOver(): Promise<void>
  }
}

// Time for a request that is on its way on a new connection.
const unusedGraceMs = 500
// Time for a client to close its side after we have closed ours.
const lingerMs = 1000
// Node accepts one connection in a turn of the event loop, and the kernel keeps up to 4,096.
const turnsMax = 4200
// A connection whose last request is longer ago is hardly used at the moment in which it is closed.
const recentMs = 1000
const recentMaxMs = 2000
// Time for a connection that another process accepts and hands over.
const handOverMs = 100
const handOverMaxMs = 3000

/**
 * Answers every request that has arrived when the server closes, and bounds the time that this
 * takes. Closing a socket with unread bytes would reset it, and Node closes idle connections
 * without reading them: so they are read first, then only our side is closed, until the client has
 * closed its own.
 */
export function addGracefulClose(http: Http, requestTimeoutMs: number): void {
  const { connections } = http
  const closing = new AbortController()
  let isDraining = false
  let drained: Promise<void> | undefined
  http.decorate('moreListeners', [])
  http.decorate('closing', closing.signal)
  const drain = async () => {
    // Before clients are told to connect anew: a connection in the queue of a socket that is closed
    // is reset, and even one that queues no more has a place for one.
    if (http.moreListeners.length > 0) await closeMoreListeners(http)
    isDraining = true
  }
  http.decorate('drain', () => {
    drained ??= drain()
  })
  http.decorate('untilNoneIsUsed', async () => {
    const untilMs = monotonicMs() + recentMaxMs
    while (connections.answeredWithin(recentMs) > 0 && monotonicMs() < untilMs) await sleep(10)
  })
  http.decorate('untilNoneHandedOver', async () => {
    let seen = -1
    const untilMs = monotonicMs() + handOverMaxMs
    while (seen !== connections.accepted && monotonicMs() < untilMs) {
      seen = connections.accepted
      await sleep(handOverMs)
    }
  })
  http.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // Requests that were sent ahead are answered too; Fastify would close at the first of them.
    if (isDraining && connections.hasMore(raw.socket))
      reply.raw.setHeader('Connection', 'keep-alive')
    else if (isDraining) reply.header('Connection', 'close')
    done()
  })
  http.addHook('preClose', async () => {
    http.drain()
    closing.abort()
    await drained
    // A request may take the timeout to arrive; its answer gets half as long again.
    const deadlineMs = monotonicMs() + requestTimeoutMs * 1.5
    queueNoMore(http.server)
    const arrived = () => connections.accepted + connections.received
    await untilNoMore(arrived, () => monotonicMs() >= deadlineMs)
    if (http.server.listening) await stopListening(http.server)
    await endIdle(connections, deadlineMs)
    http.server.closeAllConnections()
  })
}

/**
 * Lets the kernel queue one connection at most, so that the queue ends. Node has no public function
 * for this.
 */
function queueNoMore(listener: Server): void {
  const { _handle: handle } = listener as { _handle?: { listen?(backlog: number): number } }
  handle?.listen?.(0)
}

async function stopListening(server: Server): Promise<void> {
  // Unlike the method of HTTP servers, this one leaves connections alone.
  const close = () => void Server.prototype.close.call(server)
  // The supervisor of a child listens for it.
  if (cluster.isWorker) close()
  else await closeListener(server.address() as AddressInfo, close)
}

/** Lets only the server itself listen, after the connections of the others are accepted. */
async function closeMoreListeners(http: Http): Promise<void> {
  const listeners = http.moreListeners.splice(0)
  for (const listener of listeners) queueNoMore(listener)
  await untilNoMore(() => http.connections.accepted)
  for (const listener of listeners) listener.close()
}

/** Runs the event loop until it brings nothing more that is counted, or it is too late. */
async function untilNoMore(count: () => number, isTooLate = () => false): Promise<void> {
  let seen = -1
  for (let turns = 0; turns < turnsMax && seen !== count() && !isTooLate(); turns += 2) {
    seen = count()
    // The first turn accepts a connection, the second reads from it.
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
