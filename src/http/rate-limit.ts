import { callbackify } from 'node:util'
import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import rateLimit from '@fastify/rate-limit'
import type { Redis } from 'ioredis'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Http } from './http.ts'
import type { PeerProcesses, RateCount } from './peer-processes.ts'

interface RateOptions {
  log: Log
  /** Shares the counts between machines. */
  redisUrl: string | null
  /** Share the counts when there is no Redis; without either, each process counts for itself. */
  peers?: PeerProcesses
}

/** Counts the requests of each key for the guard, over a minute that begins with the first one. */
export async function addRateLimit(
  http: Http,
  { redisUrl, log, peers }: RateOptions,
): Promise<void> {
  const redis = redisUrl === null ? undefined : await openRedis(redisUrl, log)
  if (redis !== undefined) http.addHook('onClose', async () => redis.disconnect())
  await http.register(rateLimit, {
    global: false,
    timeWindow: 60_000,
    max: (request) => request.caller?.ratePerMinute ?? 0,
    keyGenerator: (request) => request.caller?.keyId ?? request.ip,
    nameSpace: 'passerelle-rate-',
    // When Redis is unreachable, requests pass: the limiter must not stop payments.
    skipOnError: true,
    ...(redis === undefined
      ? { store: peers === undefined ? MemoryRateStore : peerRateStore(peers) }
      : { redis }),
  })
}

async function openRedis(url: string, log: Log): Promise<Redis> {
  // Imported here: most installations have no Redis, and loading it takes time at the start.
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    connectTimeout: 500,
    commandTimeout: 500,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  })
  redis.on('error', (problem) => log.warn({ err: problem }, 'redis is away: rates are not limited'))
  return redis
}

/** A store that counts in the process that all peers ask. */
function peerRateStore(peers: PeerProcesses): new () => FastifyRateLimitStore {
  const count = callbackify(peers.countRate)
  return class PeerRateStore implements FastifyRateLimitStore {
    incr(
      key: string,
      callback: (problem: Error | null, result?: RateCount) => void,
      windowMs: number,
    ): void {
      count(key, windowMs, callback)
    }

    child(): FastifyRateLimitStore {
      return this
    }
  }
}

const keysMax = 100_000

/**
 * Counts in memory. The plugin's own store returns the shared counter object, and concurrent
 * requests read it after all of them have incremented it: of 200 at once on a limit of 100, all
 * would be refused. This store returns a number to each request.
 */
export class MemoryRateStore implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; endsMs: number }>()
  readonly #nowMs: () => number

  constructor(_options: unknown, nowMs = monotonicMs) {
    this.#nowMs = nowMs
  }

  incr(key: string, callback: (problem: null, result: RateCount) => void, windowMs: number): void {
    callback(null, this.count(key, windowMs))
  }

  /** Counts one more request of a key. */
  count(key: string, windowMs: number): RateCount {
    const nowMs = this.#nowMs()
    this.#deleteEnded(nowMs)
    const window = this.#windows.get(key) ?? { count: 0, endsMs: nowMs + windowMs }
    window.count += 1
    this.#windows.set(key, window)
    return { current: window.count, ttl: Math.round(window.endsMs - nowMs) }
  }

  child(): MemoryRateStore {
    return this
  }

  /** All windows are equally long, so they end in the order in which they were added. */
  #deleteEnded(nowMs: number): void {
    for (const [key, { endsMs }] of this.#windows)
      if (endsMs <= nowMs || this.#windows.size > keysMax) this.#windows.delete(key)
      else break
  }
}
