import { setTimeout as sleep } from 'node:timers/promises'
import type { RetentionSettings } from '#base/config/retention.ts'
import { after, monotonicMs } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import type { Log } from '#base/log/log.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import type { Rule, Walk } from './rule.ts'
import {
  boundStatements,
  claimRule,
  endLease,
  insertLeft,
  type Lease,
  prolongLease,
  readLeft,
  readOwners,
  readReached,
  setReached,
  type Track,
  updateLeft,
} from './store.ts'

export interface RetentionContext extends DbParts {
  log: Log
  settings: RetentionSettings
}

export interface RoundOptions {
  /** Whether to begin before the rule is due. */
  isEarly?: boolean
  /** Whether to forget nothing, and only count. */
  isDry?: boolean
  /** Aborted: the round ends after the step that is under way, and another process goes on. */
  signal?: AbortSignal
  /** For tests: how many records one step looks at. */
  stepSize?: number
}

/** `busy`: somebody else works on it, or it is not due. `off`: it is never forgotten. */
export type RoundResult =
  | { kind: 'done' | 'stopped'; forgotten: number }
  | { kind: 'busy' }
  | { kind: 'off' }

const dayMs = 86_400_000
const roundEachMs = 3_600_000
const againAfterFailureMs = 600_000
// Longer than any step, whose statements are bounded.
const leaseMs = 60_000
const bounds = { statementMs: 5000, lockMs: 200 }
const usualStepSize = 100
// A round works a fifth of the time: for the rest payments have the database for themselves.
const pauseShare = 4
const pauseMinMs = 10
const longAgo = new Date(0)

/** Somebody else has taken over: what is under way must not be committed. */
class LeaseLost extends Error {}

/** Undoes a step that was only to be counted. */
class OnlyCounted extends Error {
  readonly step: Step
  constructor(step: Step) {
    super('only counted')
    this.step = step
  }
}

interface Step {
  forgotten: number
  /** The last place that it looked at; null: there is no more. */
  reached: string | null
}

/**
 * Forgets what a rule says, step by step, each in a short transaction of its own with the place
 * that it has reached: whoever goes on after a crash begins there.
 */
export async function runRule(
  context: RetentionContext,
  rule: Rule,
  options: RoundOptions = {},
): Promise<RoundResult> {
  const { db, clock, settings } = context
  const days = rule.days(settings)
  if (days === null) return { kind: 'off' }
  const now = clock.now()
  const lease: Lease = { rule: rule.name, id: newId(now) }
  const { isEarly = false, isDry = false } = options
  if (!isDry && !(await claimRule(db, { ...lease, now, until: after(now, leaseMs), isEarly })))
    return { kind: 'busy' }
  const round = new Round(context, rule, { ...options, lease, before: after(now, -days * dayMs) })
  const isWhole = await round.run().catch(async (problem: unknown) => {
    if (problem instanceof LeaseLost) return false
    await endLease(db, lease, { dueAt: after(clock.now(), againAfterFailureMs), endedAt: null })
    throw problem
  })
  const endedAt = clock.now()
  if (!isDry)
    await endLease(
      db,
      lease,
      isWhole ? { dueAt: after(endedAt, roundEachMs), endedAt } : { dueAt: endedAt, endedAt: null },
    )
  return { kind: isWhole ? 'done' : 'stopped', forgotten: round.forgotten }
}

/** One round of a rule. */
class Round {
  forgotten = 0
  readonly #context: RetentionContext
  readonly #rule: Rule
  readonly #options: RoundOptions & { lease: Lease; before: Date }
  readonly #beganAt: Date

  constructor(
    context: RetentionContext,
    rule: Rule,
    options: RoundOptions & { lease: Lease; before: Date },
  ) {
    this.#context = context
    this.#rule = rule
    this.#options = options
    this.#beganAt = context.clock.now()
  }

  /** False: it was stopped before its end. */
  async run(): Promise<boolean> {
    const { work, name } = this.#rule
    const { before } = this.#options
    if (typeof work === 'function') {
      await this.#step(async (tx) => ({ forgotten: await work(tx, before), reached: null }))
      return true
    }
    let failed: unknown
    for (const clientId of await readOwners(this.#context.db)) {
      const track = { rule: name, clientId }
      try {
        await this.#again(work, track)
        await this.#onwards(work, track)
      } catch (problem) {
        if (problem instanceof LeaseLost) throw problem
        // The others are not kept waiting by one whose records cannot be forgotten.
        this.#context.log.error({ err: problem, ...track }, 'a retention run failed')
        failed ??= problem
      }
      if (this.#isStopped()) return false
    }
    if (failed !== undefined) throw failed
    return true
  }

  /** Looks again at what was still needed when it was passed. */
  async #again(work: Walk, track: Track): Promise<void> {
    const { stepSize: limit = usualStepSize, before, isDry } = this.#options
    const { clientId } = track
    const now = this.#beganAt
    for (let isMore = true; isMore && !this.#isStopped(); )
      await this.#step(async (tx) => {
        const reached = await readReached(tx, track)
        if (reached !== undefined && work.findNeeded !== undefined)
          await insertLeft(tx, track, await work.findNeeded(tx, clientId, reached), longAgo)
        const looked = await readLeft(tx, track, { before: now, limit })
        // Undone each time, a dry round would look at the same ones for ever.
        isMore = looked.length === limit && isDry !== true
        if (looked.length === 0) return { forgotten: 0, reached: null }
        const { count, left } = await work.forget(tx, clientId, looked, before)
        await updateLeft(tx, track, { looked, left, now })
        return { forgotten: count, reached: null }
      })
  }

  /** Looks at what has become old since the last round. */
  async #onwards(work: Walk, track: Track): Promise<void> {
    const { stepSize: limit = usualStepSize, before } = this.#options
    const { clientId } = track
    let reached: string | null = (await readReached(this.#context.db, track)) ?? work.start
    while (reached !== null && !this.#isStopped()) {
      const from: string = reached
      const step = await this.#step(async (tx) => {
        const places = await work.next(tx, { clientId, reached: from, before, limit })
        const last = places.at(-1)
        if (last === undefined) return { forgotten: 0, reached: null }
        const { count, left } = await work.forget(tx, clientId, places, before)
        if (left.length > 0) await insertLeft(tx, track, left, this.#beganAt)
        await setReached(tx, track, last)
        return { forgotten: count, reached: last }
      })
      reached = step.reached
    }
  }

  /** Runs one step in a transaction, and then leaves the database alone for a while. */
  async #step(work: (tx: Tx) => Promise<Step>): Promise<Step> {
    const { db, clock } = this.#context
    const { lease, isDry = false } = this.#options
    const startMs = monotonicMs()
    const step = await db
      .transaction(async (tx) => {
        await boundStatements(tx, bounds)
        const done = await work(tx)
        if (isDry) throw new OnlyCounted(done)
        const until = after(clock.now(), leaseMs)
        if (!(await prolongLease(tx, lease, { until, forgotten: done.forgotten })))
          throw new LeaseLost(`another process works on ${lease.rule}`)
        return done
      })
      .catch((problem: unknown) => {
        if (problem instanceof OnlyCounted) return problem.step
        throw problem
      })
    this.forgotten += step.forgotten
    await this.#pause(pauseShare * (monotonicMs() - startMs))
    return step
  }

  #isStopped(): boolean {
    return this.#options.signal?.aborted ?? false
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#options
    const options = signal === undefined ? {} : { signal }
    await sleep(Math.max(pauseMinMs, ms), undefined, options).catch(() => {})
  }
}
