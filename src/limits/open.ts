import type { Db, Tx } from '../db/db.ts'
import { cached } from '../kit/cached.ts'
import type { Clock } from '../kit/clock.ts'
import { after, monotonicMs } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { Rules } from './rules.ts'
import { dailyKey } from './rules.ts'
import type { Counted } from './scope.ts'
import { dayOf, scopeOf } from './scope.ts'
import {
  deleteOldCounts,
  freeLimits,
  readAttemptLimits,
  readBlocked,
  readDailyLimits,
  readVersion,
} from './store.ts'

/** What payments ask of limits. */
export type Limits = ReturnType<typeof openLimits>

/** A transaction that has ended. What an operator sends back, late money, is under no limit. */
type Ended = Counted & { status: string; lateReference: string | null }

const cachedMs = 500
// A limit is counted exactly from ten seconds after it was set: older knowledge is not used.
const trustedMs = 5000
const attemptsKeptMs = 600_000
const daysKeptMs = 40 * 86_400_000

/** Opens the room; a change made by any process is seen within half a second. */
export function openLimits({ db, clock, log }: { db: Db; clock: Clock; log: Log }) {
  let known: { version: number; rules: Rules } | undefined
  let knownMs = 0
  const load = cached(cachedMs, async (_key: 'now') => {
    const startMs = monotonicMs()
    // Read before the rules: a change between the two is seen by the next reading.
    const version = await readVersion(db)
    if (known?.version !== version) known = { version, rules: await readRules(db, clock.now()) }
    knownMs = startMs
    return known.rules
  })
  const rules = () => load('now')

  /** Whether a transaction may be counted. Without recent rules it may be: the database knows. */
  function mayBeCounted(one: Counted): boolean {
    const ageMs = monotonicMs() - knownMs
    if (ageMs > cachedMs)
      rules().catch((problem: unknown) => log.warn({ err: problem }, 'limits could not be read'))
    if (known === undefined || ageMs > trustedMs) return true
    return known.rules.daily.has(dailyKey(one.clientId, scopeOf(one)))
  }

  return {
    /** The rules of now. Asked before a payment is recorded, outside of its transaction. */
    rules,

    /**
     * Takes transactions that end unpaid out of the sums of their days. Sent before the accounts
     * are locked, the order in which recording locks them.
     */
    async free(tx: Tx, ended: Ended[], now: Date): Promise<void> {
      const unpaid = ended.filter(
        (one) => one.status !== 'SUCCESS' && one.lateReference === null && mayBeCounted(one),
      )
      if (unpaid.length === 0) return
      await freeLimits(tx, unpaid.map(countedRow), now)
    },

    /** Deletes counts that are too old to matter. */
    sweep: (now: Date) =>
      deleteOldCounts(db, {
        attemptsBefore: after(now, -attemptsKeptMs),
        daysBefore: dayOf(after(now, -daysKeptMs)),
      }),
  }
}

async function readRules(db: Db, now: Date): Promise<Rules> {
  const [daily, attempts, blocked] = await Promise.all([
    readDailyLimits(db),
    readAttemptLimits(db),
    readBlocked(db, now),
  ])
  return {
    daily: new Set(daily.map(({ clientId, scope }) => dailyKey(clientId, scope))),
    attempts: new Map(attempts.map(({ clientId, attemptsMax }) => [clientId, attemptsMax])),
    blocked: new Map(blocked.map(({ phone, expiresAt }) => [phone, expiresAt])),
  }
}

function countedRow(one: Counted): object {
  const { clientId, amount, createdAt } = one
  return { client_id: clientId, scope: scopeOf(one), day: dayOf(createdAt), amount }
}
