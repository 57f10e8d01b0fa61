import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'
import type { RateCount } from './peer-processes.ts'

type CountRate = (key: string, windowMs: number) => Promise<RateCount>

/** How long Redis is waited for. */
interface Patience {
  /** A request waits this long once, when Redis stops answering, which takes it no millisecond. */
  answerMaxMs: number
  startMaxMs: number
}

const usualPatience: Patience = { answerMaxMs: 200, startMaxMs: 1000 }
const pingEveryMs = 250
const keyPrefix = 'passerelle-rate-'

const countScript = `
  local count = redis.call('INCR', KEYS[1])
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    left = tonumber(ARGV[1])
  end
  return { count, left }`

type CountingRedis = Redis & {
  countRate(key: string, windowMs: number): Promise<[count: number, leftMs: number]>
}

/**
 * Counts in Redis while it answers. From the first request that it does not answer in time, `local`
 * counts, at once and without asking again, until a ping in the background succeeds.
 */
export class RedisRates {
  readonly #redis: CountingRedis
  readonly #log: Log
  readonly #local: CountRate
  readonly #answerMaxMs: number
  readonly #pings = setInterval(() => void this.#ping(), pingEveryMs).unref()
  readonly #decided = Promise.withResolvers<void>()
  #isShared = false
  #isPinging = false
  #isDecided = false

  /** Resolves when Redis counts, or when it is clear that it does not. */
  static async open(
    url: string,
    log: Log,
    local: CountRate,
    { answerMaxMs, startMaxMs }: Patience = usualPatience,
  ): Promise<RedisRates> {
    // Imported here: most installations have no Redis, and loading it takes time at the start.
    const { Redis: Client } = await import('ioredis')
    const rates = new RedisRates(
      new Client(url, { connectTimeout: 2000, enableOfflineQueue: false }),
      log,
      local,
      answerMaxMs,
    )
    await Promise.race([rates.#decided.promise, sleep(startMaxMs, undefined, { ref: false })])
    if (!rates.#isDecided) rates.#warn(new Error('it has not answered since the start'))
    return rates
  }

  private constructor(redis: Redis, log: Log, local: CountRate, answerMaxMs: number) {
    this.#redis = redis as CountingRedis
    this.#log = log
    this.#local = local
    this.#answerMaxMs = answerMaxMs
    redis.defineCommand('countRate', { numberOfKeys: 1, lua: countScript })
    redis.on('error', (problem: Error) => this.#countHere(problem))
    redis.on('close', () => this.#countHere(new Error('the connection was closed')))
    redis.on('ready', () => void this.#ping())
  }

  /** False while Redis does not answer and this machine counts for itself. */
  get isShared(): boolean {
    return this.#isShared
  }

  readonly countRate: CountRate = async (key, windowMs) => {
    if (!this.#isShared) return this.#local(key, windowMs)
    try {
      const counting = this.#redis.countRate(`${keyPrefix}${key}`, windowMs)
      const [current, ttl] = await inTime(counting, this.#answerMaxMs)
      return { current, ttl }
    } catch (problem) {
      this.#countHere(problem as Error)
      return this.#local(key, windowMs)
    }
  }

  close(): void {
    clearInterval(this.#pings)
    this.#redis.removeAllListeners('close')
    this.#redis.disconnect()
  }

  /** Logs one line when Redis goes away, and one at the start when it is not there. */
  #countHere(problem: Error): void {
    if (this.#isShared || !this.#isDecided) this.#warn(problem)
    this.#isShared = false
  }

  #warn(problem: Error): void {
    this.#isDecided = true
    this.#decided.resolve()
    this.#log.warn({ err: problem }, 'redis is away: each process counts rates for itself')
  }

  async #ping(): Promise<void> {
    if (this.#isShared || this.#isPinging || this.#redis.status !== 'ready') return
    this.#isPinging = true
    try {
      await inTime(this.#redis.ping(), this.#answerMaxMs)
      this.#isShared = true
      this.#isDecided = true
      this.#decided.resolve()
      this.#log.info('redis counts rates')
    } catch (problem) {
      this.#countHere(problem as Error)
    }
    this.#isPinging = false
  }
}

/** The answer, or an error when it is late. After a stall, what has arrived is read first. */
async function inTime<Answer>(answer: Promise<Answer>, answerMaxMs: number): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  const problem = new Error(`no answer within ${answerMaxMs} ms`)
  const timer = setTimeout(() => setImmediate(() => late.reject(problem)), answerMaxMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
    // One of them is settled later, and nobody waits for it.
    answer.catch(() => {})
    late.promise.catch(() => {})
  }
}
