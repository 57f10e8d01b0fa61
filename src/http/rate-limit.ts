import { callbackify } from 'node:util'
import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import rateLimit from '@fastify/rate-limit'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { Http } from './http.ts'
import type { PeerProcesses, RateCount } from './peer-processes.ts'
import { RedisRates } from './redis-rates.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Undefined without REDIS_URL. */
    sharedRates: RedisRates | undefined
  }
}

interface RateOptions {
  log: Log
  /** Shares the counts between machines. */
  redisUrl: string | null
  /** Share the counts when there is no Redis; without either, each process counts for itself. */
  peers?: PeerProcesses
}

/**
 * Counts the requests of each key for the guard, over a minute that begins with the first one: in
 * Redis, else at the supervisor of several processes, else here.
 */
export async function addRateLimit(
  http: Http,
  { redisUrl, log, peers }: RateOptions,
): Promise<void> {
  const memory = new MemoryRateStore(undefined)
  const local = peers?.countRate ?? (async (key, windowMs) => memory.count(key, windowMs))
  const redis = redisUrl === null ? undefined : await RedisRates.open(redisUrl, log, local)
  http.decorate('sharedRates', redis)
  if (redis !== undefined) http.addHook('onClose', async () => redis.close())
  const count = redis?.countRate ?? peers?.countRate
  await http.register(rateLimit, {
    global: false,
    timeWindow: 60_000,
    max: (request) => request.caller?.ratePerMinute ?? 0,
    keyGenerator: (request) => request.caller?.keyId ?? request.ip,
    // A limiter that fails must not stop payments.
    skipOnError: true,
    store: count === undefined ? MemoryRateStore : storeOf(count),
  })
}

/** A store of the plugin that counts with a function. */
function storeOf(countRate: PeerProcesses['countRate']): new () => FastifyRateLimitStore {
  const count = callbackify(countRate)
  return class CountingStore implements FastifyRateLimitStore {
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
