// Part of our own HTTP client; request.ts says what it gains and what it must never do.
import type { LookupFunction } from 'node:net'
import { monotonicMs } from '#base/kit/clock.ts'
import {
  type ConnectionOwner,
  type Destination,
  HttpConnection,
  type PendingRequest,
} from './connection.ts'

export interface PoolOptions extends Pick<Destination, 'idleMs' | 'lookup'> {
  /** Most connections to one origin; further requests wait in a queue. */
  connectionsMax: number
}

/** The connections to one origin, opened on demand. */
export interface ConnectionPool {
  /** The host and port, for the Host header. */
  readonly host: string
  send(request: PendingRequest): void
  /** True while no connection is open; then no request waits either. */
  isEmpty(): boolean
  /** Fails all requests and closes all connections; later requests fail at once. */
  close(): void
}

/** One connection pool for each owner and origin, opened on demand. */
export interface OriginPools {
  /** Owners share no connections, so that none waits for requests of another. */
  poolOf(origin: string, owner?: string): ConnectionPool
  /** Closes every pool. */
  close(): void
}

const sweepMs = 500
// Many merchants are called once a day: at this many pools, those without a connection go.
const poolsMax = 1000

interface OriginPoolsOptions extends Omit<PoolOptions, 'lookup'> {
  /** The `lookup` of an owner's pools. */
  lookupFor?(owner: string): LookupFunction
}

/** Opens a pool for each owner and origin on demand, all with the same options. */
export function openOriginPools({ lookupFor, ...options }: OriginPoolsOptions): OriginPools {
  const pools = new Map<string, ConnectionPool>()
  const removeEmpty = () => {
    for (const [key, pool] of pools) if (pool.isEmpty()) pools.delete(key)
  }
  return {
    poolOf: (origin, owner = '') => {
      const key = `${owner} ${origin}`
      const known = pools.get(key)
      if (known !== undefined) return known
      if (pools.size >= poolsMax) removeEmpty()
      const pool = openConnectionPool(origin, { ...options, lookup: lookupFor?.(owner) })
      pools.set(key, pool)
      return pool
    },
    close: () => pools.forEach((pool) => pool.close()),
  }
}

/**
 * Opens a pool of connections to one origin. Each carries one request at a time, so a broken
 * connection loses one response at most, and no request is ever sent twice.
 */
export function openConnectionPool(
  origin: string,
  { connectionsMax, ...options }: PoolOptions,
): ConnectionPool {
  const to: Destination = { url: new URL(origin), ...options }
  const open = new Set<HttpConnection>()
  // A stack: the connection used last is used first, so under less load the others time out.
  const idle: HttpConnection[] = []
  const queue: PendingRequest[] = []
  let sweeper: NodeJS.Timeout | undefined
  let isClosed = false

  const owner: ConnectionOwner = {
    onIdle: (connection) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        if (connection.send(next)) return
      idle.push(connection)
      sweeper ??= setInterval(sweep, sweepMs).unref()
    },
    onClosed: (connection) => {
      open.delete(connection)
      const at = idle.lastIndexOf(connection)
      if (at !== -1) idle.splice(at, 1)
      while (queue.length > 0 && open.size < connectionsMax) openFor(queue.shift())
      if (open.size > 0) return
      clearInterval(sweeper)
      sweeper = undefined
    },
  }

  function openFor(request: PendingRequest | undefined): void {
    if (!request?.isPending()) return
    try {
      open.add(new HttpConnection(to, owner, request))
    } catch (error) {
      request.onFailure(error as Error)
    }
  }

  function sweep(): void {
    const now = monotonicMs()
    for (const one of idle.filter(({ idleUntilMs }) => idleUntilMs <= now)) one.destroy()
  }

  return {
    host: to.url.host,
    send: (request) => {
      if (isClosed) return request.onFailure(new Error('the connections are closed'))
      const connection = takeIdle(idle)
      if (connection === undefined && open.size < connectionsMax) return openFor(request)
      queue.push(request)
      if (connection !== undefined) owner.onIdle(connection)
    },
    isEmpty: () => open.size === 0,
    close: () => {
      isClosed = true
      const error = new Error('the connections are closed')
      for (const request of queue.splice(0)) request.onFailure(error)
      for (const one of open) one.fail(error)
    },
  }
}

/**
 * Takes the connection used last. One whose idle time has passed is closed instead: when the event
 * loop was blocked, the sweep has not done it yet.
 */
function takeIdle(idle: HttpConnection[]): HttpConnection | undefined {
  const now = monotonicMs()
  for (let one = idle.pop(); one !== undefined; one = idle.pop()) {
    if (one.idleUntilMs > now) return one
    one.destroy()
  }
  return undefined
}
