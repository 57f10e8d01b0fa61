import type { Log } from '#base/log/log.ts'
import {
  batched,
  clientOf,
  partitionedByClient,
  partitionedByClientLongPause,
  unpartitioned,
} from '#data/db/batch.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Floats } from '#money/float/open.ts'
import type { Limits } from '#money/limits/open.ts'
import type { Outcome } from '#money/providers/contract.ts'
import type { Applied } from './apply.ts'
import { beginAttempt } from './begin-attempt.ts'
import type { OutcomeReport } from './decide.ts'
import { type Draft, recordIntents } from './intents.ts'
import { recordOptimistically } from './optimistic-recording.ts'
import { openRowCache } from './row-cache.ts'
import { findByAttempts } from './store.ts'
import type { TokenSafe } from './token-safe.ts'
import { type AttemptId, isDebit, serviceOf, type Transaction } from './transaction.ts'
import type { Announce } from './write-effects.ts'

interface RecorderParts extends DbParts {
  log: Log
  announce: Announce
  limits: Limits
  floats: Floats
  tokens: TokenSafe
}

/** Reports of one transaction that are committed together. */
interface ReportGroup {
  clientId: number
  reports: OutcomeReport[]
}

/**
 * Commits intents, outcomes and attempts. Concurrent calls share database transactions, and open
 * transactions that this process has just written stay in the row cache, so that the next report
 * about one need not read it first.
 */
export function openRecorder(parts: RecorderParts) {
  const { db, clock, tokens } = parts
  const cache = openRowCache()
  const recordDrafts = async (drafts: (Draft & { clientId: number })[]) => {
    const recorded = await db.groupTransaction(drafts.map(clientOf), (tx) =>
      recordIntents(tx, drafts, clock.now()),
    )
    for (const one of recorded) if (one.kind === 'recorded') cache.keep(one.transaction)
    return recorded
  }
  const recordGroups = async (groups: ReportGroup[]): Promise<Applied[][]> => {
    const reports = groups.flatMap((group) => group.reports)
    const applied = await recordOptimistically(parts, reports, cache)
    let end = 0
    return groups.map((group) => {
      const start = end
      end += group.reports.length
      return applied.slice(start, end)
    })
  }
  // What moves money waits for locks on its merchant's account; what does not must not wait too.
  const recordDebit = batched(recordDrafts, { ...partitionedByClient, name: 'debits' })
  const recordCredit = batched(recordDrafts, { ...unpartitioned, name: 'collections' })
  const recordMovingMoney = batched(recordGroups, {
    ...partitionedByClientLongPause,
    name: 'endings',
  })
  const recordProgress = batched(recordGroups, { ...unpartitioned, name: 'progress' })
  const findInDatabase = batched((attempts: AttemptId[]) => findByAttempts(db, attempts))

  /** Commits several reports about one transaction, together and in this order. */
  async function recordAll(reports: [OutcomeReport, ...OutcomeReport[]]): Promise<Applied[]> {
    const { clientId } = reports[0]
    const sealed = reports.map((one) => withSealedToken(one, tokens))
    const record = sealed.every(isProgressOnly) ? recordProgress : recordMovingMoney
    const applied = await record({ clientId, reports: sealed })
    tell(reports, applied, parts)
    return applied
  }

  return {
    recordAll,

    /** Commits one report. */
    async record(report: OutcomeReport): Promise<Applied> {
      const [applied] = await recordAll([report])
      if (applied === undefined) throw new Error('nothing was applied')
      return applied
    },

    /** Commits an intent and the money it needs, or refuses it without a trace. */
    recordIntent(draft: Draft) {
      const { service, clientId } = draft.intent
      const record = service.isDebit ? recordDebit : recordCredit
      return record({ ...draft, clientId })
    },

    /** Commits a new attempt for an order that was never sent; undefined: another process did. */
    async beginAttempt(transaction: Transaction): Promise<Transaction | undefined> {
      const begun = await db.transaction((tx) => beginAttempt(tx, transaction, clock.now()))
      if (begun !== undefined) cache.keep(begun)
      return begun
    },

    /** The transaction that an attempt belongs to. */
    async findByAttempt(attempt: AttemptId) {
      return cache.findByAttempt(attempt) ?? findInDatabase(attempt)
    },
  }
}

const progressKinds = new Set<Outcome['kind']>(['accepted', 'pending', 'unknown'])

/** Whether a report will most likely move no money; only its batch is chosen by it. */
function isProgressOnly({ outcome }: OutcomeReport): boolean {
  return progressKinds.has(outcome.kind)
}

/** Whether a provider declined because the paying account lacks money; that of a payout is ours. */
function isForWantOfMoney({ outcome }: OutcomeReport): boolean {
  return outcome.kind === 'declined' && outcome.cause === 'balance_low'
}

/** Logs conflicts, and lets the float of a provider learn from a decline. */
function tell(reports: OutcomeReport[], applied: Applied[], { floats, log }: RecorderParts): void {
  for (const one of applied) logConflicts(log, one)
  if (!reports.some(isForWantOfMoney)) return
  const payout = applied.map(({ transaction }) => transaction).find(isDebit)
  if (payout === undefined) return
  floats
    .declined(serviceOf(payout), payout.amount)
    .catch((problem: unknown) =>
      log.warn({ err: problem }, 'could not record the low balance of a provider'),
    )
}

/** Recharge codes are sealed before they reach the database. */
function withSealedToken(report: OutcomeReport, safe: TokenSafe): OutcomeReport {
  const { outcome, clientId, transactionId: id } = report
  if (outcome.kind !== 'succeeded' || outcome.tokens.length === 0) return report
  return { ...report, sealedToken: safe.seal({ clientId, id }, outcome.tokens) }
}

/** Logs conflicts as errors: an operator has to look into them. */
function logConflicts(log: Log, { conflicts }: Applied): void {
  for (const { clientId, transactionId, kind, details } of conflicts)
    log.error({ clientId, transactionId, kind, details }, 'a conflict needs a person')
}
