import { monotonicMs } from '../kit/clock.ts'
import type { ConnectionOwner, Destination, Sending } from './connection.ts'
import { HttpConnection } from './connection.ts'

export interface ConnectionsOptions extends Pick<Destination, 'idleMs' | 'lookup'> {
  connectionsMax: number
}

/** Connections to one origin, opened as they are needed. */
export interface Connections {
  /** The host and port, as requests name them. */
  readonly host: string
  send(sending: Sending): void
  /** None is open, and nothing waits for one. */
  isEmpty(): boolean
  /** Cuts everything off; what is sent afterwards ends at once. */
  close(): void
}

/** Connections to whatever origin is asked for. */
export interface WayOut {
  to(origin: string): Connections
  /** Cuts everything off. */
  close(): void
}

const sweepMs = 500
// Many are called once a day: beyond this many origins, those without a connection are forgotten.
const originsMax = 1000

/** Opens connections to each origin as they are needed, as many to each as the options say. */
export function openWayOut(options: ConnectionsOptions): WayOut {
  const origins = new Map<string, Connections>()
  const forgetEmpty = () => {
    for (const [origin, known] of origins) if (known.isEmpty()) origins.delete(origin)
  }
  return {
    to: (origin) => {
      const known = origins.get(origin)
      if (known !== undefined) return known
      if (origins.size >= originsMax) forgetEmpty()
      const connections = openConnections(origin, options)
      origins.set(origin, connections)
      return connections
    },
    close: () => origins.forEach((connections) => connections.close()),
  }
}

/**
 * Connections of our own to one origin: one request at a time on each, so that the loss of one
 * answer is never the loss of two, and never a second time what was sent once.
 */
export function openConnections(
  origin: string,
  { connectionsMax, ...options }: ConnectionsOptions,
): Connections {
  const to: Destination = { url: new URL(origin), ...options }
  const open = new Set<HttpConnection>()
  // The last has rested for the shortest time: those in front are closed when there is less to do.
  const resting: HttpConnection[] = []
  const waiting: Sending[] = []
  let sweeper: NodeJS.Timeout | undefined
  let isClosed = false

  const owner: ConnectionOwner = {
    onFree: (connection) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        if (connection.carry(next)) return
      resting.push(connection)
      sweeper ??= setInterval(sweep, sweepMs).unref()
    },
    onGone: (connection) => {
      open.delete(connection)
      const at = resting.lastIndexOf(connection)
      if (at !== -1) resting.splice(at, 1)
      while (waiting.length > 0 && open.size < connectionsMax) openFor(waiting.shift())
      if (open.size > 0) return
      clearInterval(sweeper)
      sweeper = undefined
    },
  }

  function openFor(sending: Sending | undefined): void {
    if (!sending?.isWanted()) return
    try {
      open.add(new HttpConnection(to, owner, sending))
    } catch (problem) {
      sending.onProblem(problem as Error)
    }
  }

  function sweep(): void {
    const now = monotonicMs()
    for (const one of resting.filter(({ restsUntilMs }) => restsUntilMs <= now)) one.cut()
  }

  return {
    host: to.url.host,
    send: (sending) => {
      if (isClosed) return sending.onProblem(new Error('the connections are closed'))
      const rested = takeFresh(resting)
      if (rested === undefined && open.size < connectionsMax) return openFor(sending)
      waiting.push(sending)
      if (rested !== undefined) owner.onFree(rested)
    },
    isEmpty: () => open.size === 0,
    close: () => {
      isClosed = true
      const problem = new Error('the connections are closed')
      for (const sending of waiting.splice(0)) sending.onProblem(problem)
      for (const one of open) one.fail(problem)
    },
  }
}

/** The last, unless it rested for too long while this process stood still and nobody swept. */
function takeFresh(resting: HttpConnection[]): HttpConnection | undefined {
  const now = monotonicMs()
  for (let one = resting.pop(); one !== undefined; one = resting.pop()) {
    if (one.restsUntilMs > now) return one
    one.cut()
  }
  return undefined
}
