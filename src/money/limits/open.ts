import { cached } from '#base/kit/cached.ts'
import { after, monotonicMs } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import {
  type BlockOrder,
  blockNumber,
  type LimitOrder,
  type LimitValues,
  removeLimit,
  setLimit,
  unblockNumber,
} from './change.ts'
import { areCurrent, readRules } from './current.ts'
import { listLimits } from './list.ts'
import { dailyKey, type Rules } from './rules.ts'
import { type Counted, dayOf, scopeOf } from './scope.ts'
import { deleteOldCounts, freeLimits, readBlocked, readVersion } from './store.ts'

/** Everything that can be done with limits. */
export type Limits = ReturnType<typeof openLimits>

/** A transaction that has ended. What an operator sends back, late money, is under no limit. */
type Ended = Counted & { status: string; lateReference: string | null }

type Order<T> = Omit<T, 'now'>

const cachedMs = 500
const attemptsKeptMs = 600_000
const daysKeptMs = 40 * 86_400_000

/** Opens the room; a change made by any process is seen within half a second. */
export function openLimits({ db, clock, log }: DbParts & { log: Log }) {
  let known: { version: number; rules: Rules } | undefined
  const load = cached(cachedMs, async (_key: 'now') => {
    const startMs = monotonicMs()
    // Read before the rules: a change between the two is seen by the next reading.
    const version = await readVersion(db)
    const isChanged = known?.version !== version
    const rules =
      known === undefined || isChanged
        ? await readRules(db, clock.now())
        : { ...known.rules, readMs: startMs }
    known = { version, rules }
    return rules
  })
  const rules = () => load('now')

  /** Whether a transaction may be counted. Without recent rules it may be: the database knows. */
  function mayBeCounted(one: Counted): boolean {
    if (known === undefined || monotonicMs() - known.rules.readMs > cachedMs)
      rules().catch((problem: unknown) => log.warn({ err: problem }, 'limits could not be read'))
    if (known === undefined || !areCurrent(known.rules)) return true
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

    /** Those of a client, or of all, with what is used of them today. */
    list: (clientId: number | null = null) => listLimits(db, clock.now(), clientId),
    set: (order: Order<LimitOrder & LimitValues>) =>
      db.transaction((tx) => setLimit(tx, { ...order, now: clock.now() })),
    remove: (order: Order<LimitOrder>) =>
      db.transaction((tx) => removeLimit(tx, { ...order, now: clock.now() })),
    /** The numbers that nothing may be paid by or to, newest first. */
    blocked: () => readBlocked(db, clock.now()),
    block: (order: Order<Parameters<typeof blockNumber>[1]>) =>
      db.transaction((tx) => blockNumber(tx, { ...order, now: clock.now() })),
    /** Returns the number. */
    unblock: (order: Order<BlockOrder>) =>
      db.transaction((tx) => unblockNumber(tx, { ...order, now: clock.now() })),

    /** Deletes counts that are too old to matter. */
    sweep: (now: Date) =>
      deleteOldCounts(db, {
        attemptsBefore: after(now, -attemptsKeptMs),
        daysBefore: after(now, -daysKeptMs).toISOString().slice(0, 10),
      }),
  }
}

function countedRow(one: Counted): object {
  const { clientId, amount, createdAt } = one
  const scope = scopeOf(one)
  return { client_id: clientId, scope, day: dayOf(createdAt, scope), amount }
}
