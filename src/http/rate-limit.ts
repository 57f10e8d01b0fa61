import { callbackify } from 'node:util'
import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import rateLimit from '@fastify/rate-limit'
import { Redis } from 'ioredis'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Http } from './http.ts'
import type { PeerProcesses, RateCount } from './peer-processes.ts'

interface RateOptions {
  log: Log
  /** Where processes of several machines count together. */
  redisUrl: string | null
  /** Those that this process counts with when there is no Redis; without any it counts alone. */
  peers?: PeerProcesses
}

/** Lets the guard count the requests of each key over a minute that begins with the first. */
export async function addRateLimit(
  http: Http,
  { redisUrl, log, peers }: RateOptions,
): Promise<void> {
  const redis = redisUrl === null ? undefined : openRedis(redisUrl, log)
  if (redis !== undefined) http.addHook('onClose', async () => redis.disconnect())
  await http.register(rateLimit, {
    global: false,
    timeWindow: 60_000,
    max: (request) => request.caller?.ratePerMinute ?? 0,
    keyGenerator: (request) => request.caller?.keyId ?? request.ip,
    nameSpace: 'passerelle-rate-',
    // A limiter that is away must not stop payments.
    skipOnError: true,
    ...(redis === undefined
      ? { store: peers === undefined ? RateCounts : countsOf(peers) }
      : { redis }),
  })
}

function openRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    connectTimeout: 500,
    commandTimeout: 500,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  })
  redis.on('error', (problem) => log.warn({ err: problem }, 'redis is away: rates are not limited'))
  return redis
}

/** Counts where the peers do. */
function countsOf(peers: PeerProcesses): new () => FastifyRateLimitStore {
  const count = callbackify(peers.countRate)
  return class SharedCounts implements FastifyRateLimitStore {
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
 * Counts in memory. The limiter's own store hands every caller the same running count, which
 * requests that arrive together then read at its highest: of 200 at once on a limit of 100, all
 * would be refused. Here each caller is told its own number.
 */
export class RateCounts implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; endsMs: number }>()
  readonly #nowMs: () => number

  constructor(_options: unknown, nowMs = monotonicMs) {
    this.#nowMs = nowMs
  }

  incr(key: string, callback: (problem: null, result: RateCount) => void, windowMs: number): void {
    const nowMs = this.#nowMs()
    this.#forget(nowMs)
    const window = this.#windows.get(key) ?? { count: 0, endsMs: nowMs + windowMs }
    window.count += 1
    this.#windows.set(key, window)
    callback(null, { current: window.count, ttl: Math.round(window.endsMs - nowMs) })
  }

  child(): RateCounts {
    return this
  }

  /** All windows are equally long, so that the first to have begun is the first to end. */
  #forget(nowMs: number): void {
    for (const [key, { endsMs }] of this.#windows)
      if (endsMs <= nowMs || this.#windows.size > keysMax) this.#windows.delete(key)
      else break
  }
}
