import { newId } from '#base/kit/ids.ts'
import { capture, collect, type Posting, release, suspend } from '#money/ledger/postings.ts'
import type { Move, Moved } from '#money/lifecycle/move.ts'
import { nextOf } from '#money/lifecycle/transitions.ts'
import { type BoundedReport, bounded } from './bounds.ts'
import type { Decision, OutcomeReport } from './decide.ts'
import { decideReport } from './decide-report.ts'
import type { ConflictRow, EvidenceRow } from './evidence-store.ts'
import {
  addPayment,
  type KnownPayments,
  type Payments,
  paymentsOf,
  suspenseRef,
} from './payments.ts'
import { isDebit, isTokenMissing, serviceOf, type Transaction } from './transaction.ts'
import { askForTokenAt } from './waits.ts'

/** What one report did to its transaction. */
export interface Applied {
  transaction: Transaction
  conflicts: ConflictRow[]
}

/** Bills have states of their own. */
export type TransactionMove = Move<'transaction' | 'bill'>

/** What has to be written for a group of reports. */
export interface Effects {
  moves: TransactionMove[]
  postings: { posting: Posting; transaction: Transaction | null }[]
  changed: Map<string, Transaction>
  evidence: EvidenceRow[]
  conflicts: ConflictRow[]
  /** Transactions that reached a final status. */
  ended: Transaction[]
  /** Top-ups that have got their recharge code after their end. */
  tokened: Transaction[]
}

/** Transactions by client and id: locked, or cached and checked by version before the commit. */
export type Rows = Map<string, Transaction>

/**
 * Applies reports to their transactions, in the order given, and returns what has to be written.
 * `payments`: those reported before, of transactions that have ended. Pure: the database and the
 * simulation use the same rules.
 */
export function applyReports(
  rows: Rows,
  reports: OutcomeReport[],
  now: Date,
  payments: Payments,
): { applied: Applied[]; effects: Effects } {
  const effects: Effects = {
    moves: [],
    postings: [],
    changed: new Map(),
    evidence: [],
    conflicts: [],
    ended: [],
    tokened: [],
  }
  const applied = reports.map((one): Applied => {
    const key = keyOf(one.clientId, one.transactionId)
    const transaction = rows.get(key)
    if (transaction === undefined) throw new Error(`no transaction ${one.transactionId}`)
    const before = effects.conflicts.length
    for (const each of eachPayment(one).map(bounded))
      applyOne(transaction, each, paymentsOf(payments, key, each), rows, effects, now)
    return { transaction, conflicts: effects.conflicts.slice(before) }
  })
  return { applied, effects }
}

/** A report for each payment that the provider reports: every one is evidence of its own. */
function eachPayment(report: OutcomeReport): OutcomeReport[] {
  if (report.outcome.kind !== 'succeeded') return [report]
  const { others = [], ...first } = report.outcome
  const { dedupeKey: _, sealedToken: __, ...rest } = report
  return [
    { ...report, outcome: first },
    ...others.map(({ reference, amount, currency }): OutcomeReport => {
      return { ...rest, outcome: { ...first, reference, amount, currency, tokens: [] } }
    }),
  ]
}

function applyOne(
  transaction: Transaction,
  report: BoundedReport,
  known: KnownPayments,
  rows: Rows,
  effects: Effects,
  now: Date,
): void {
  const { source, outcome, attemptId } = report
  const { clientId, id } = transaction
  const { evidence, ...details } = outcome
  effects.evidence.push({
    clientId,
    transactionId: id,
    attemptId,
    at: now,
    source,
    outcome: outcome.kind,
    details: { ...withoutTokens(details), ...evidence },
    dedupeKey: report.dedupeKey ?? null,
  })
  // An earlier attempt was proven never sent: only a success of it still matters.
  if (attemptId !== transaction.attemptId && outcome.kind !== 'succeeded') return
  const decision = decideReport(transaction, report, known, now)
  const ref = suspenseRef(known, report)
  addPayment(known, report)
  if (decision.conflict === undefined) keepLateToken(transaction, report, effects)
  if (Object.keys(decision).length === 0) return
  applyDecision(transaction, decision, report, effects)
  if (source === 'confirm') transaction.confirmedAt = now
  if (decision.trigger === 'provider_succeeded') {
    transaction.attemptId = attemptId
    transaction.sealedToken = report.sealedToken ?? null
  }
  if (decision.trigger !== undefined) applyMove(transaction, decision.trigger, rows, effects, now)
  recordConflict(transaction, report, decision, ref, effects, now)
}

function applyDecision(
  transaction: Transaction,
  decision: Decision,
  { source, attemptId }: OutcomeReport,
  effects: Effects,
): void {
  const { attemptState, reference, paymentUrl, attemptedAt, dueAt, failure } = decision
  if (failure !== undefined) transaction.failure = failure
  if (attemptedAt !== undefined) transaction.attemptedAt = attemptedAt
  if (attemptState !== undefined) transaction.attemptState = attemptState
  // Our own id names no payment of the provider's.
  if (reference !== undefined && reference !== attemptId) transaction.reference = reference
  if (paymentUrl !== undefined) transaction.paymentUrl = paymentUrl
  if (dueAt !== undefined) {
    transaction.dueAt = dueAt
    // The poll interval grows with each query and starts over once a one-time code was accepted.
    if (source === 'confirm') transaction.polls = 0
    else if (source === 'query') transaction.polls += 1
  }
  effects.changed.set(keyOf(transaction.clientId, transaction.id), transaction)
}

function applyMove(
  transaction: Transaction,
  trigger: NonNullable<Decision['trigger']>,
  rows: Rows,
  effects: Effects,
  now: Date,
): void {
  const { clientId } = transaction
  const next = addMove(transaction, trigger, effects, now)
  transaction.status = next.to
  const posting = postingFor(transaction, next, now)
  if (posting !== null) effects.postings.push({ posting, transaction })
  if (next.also !== 'nothing') {
    transaction.completedAt = now
    transaction.dueAt = isTokenMissing(transaction) ? askForTokenAt(now, now) : null
    effects.ended.push(transaction)
  }
  const original =
    transaction.originalId === null ? undefined : rows.get(keyOf(clientId, transaction.originalId))
  // A refund of a second payment was not counted as one of the payment that succeeded.
  const isCounted = transaction.lateReference === null || original?.status !== 'SUCCESS'
  if (next.also === 'release_and_notify' && original !== undefined && isCounted) {
    original.refunded -= transaction.amount
    effects.changed.set(keyOf(clientId, original.id), original)
  }
}

/** A code that is told after the end of its top-up is kept: without it the customer has nothing. */
function keepLateToken(
  transaction: Transaction,
  { outcome, attemptId, sealedToken }: OutcomeReport,
  effects: Effects,
): void {
  const isOfIts = attemptId === transaction.attemptId && outcome.kind === 'succeeded'
  if (sealedToken === undefined || !isOfIts || !isTokenMissing(transaction)) return
  transaction.sealedToken = sealedToken
  transaction.dueAt = null
  effects.changed.set(keyOf(transaction.clientId, transaction.id), transaction)
  effects.tokened.push(transaction)
}

/** Adds the status change of a trigger. A bill has triggers of its own for the same outcomes. */
function addMove(
  { clientId, id, status: from, operation }: Transaction,
  reported: NonNullable<Decision['trigger']>,
  effects: Effects,
  now: Date,
): Moved<'transaction' | 'bill'> {
  const isBill = operation === 'BILL'
  const ended = reported === 'provider_succeeded' ? 'biller_succeeded' : 'biller_failed'
  const [resource, trigger] = isBill
    ? (['bill', ended] as const)
    : (['transaction', reported] as const)
  const next = nextOf<'transaction' | 'bill'>(resource, from, trigger)
  if (next === undefined) throw new Error(`${trigger} leads nowhere from ${from}`)
  effects.moves.push({ resource, clientId, id, from, trigger, at: now })
  return next
}

const releasing = new Set(['release_and_notify', 'refund_and_notify'])

/** The posting that a status change requires; null: no money moves. */
function postingFor(transaction: Transaction, { also }: Pick<Moved, 'also'>, now: Date) {
  const { clientId, id, amount, fee, holdId } = transaction
  const head = { clientId, id: newId(now), ref: id }
  const service = serviceOf(transaction)
  if (also === 'settle_and_notify')
    return holdId === null
      ? collect(head, service, amount, fee)
      : capture(head, holdId, service, amount, fee)
  if (releasing.has(also) && holdId !== null) return release(head, holdId, amount + fee)
  return null
}

function recordConflict(
  transaction: Transaction,
  report: OutcomeReport,
  decision: Decision,
  ref: string,
  effects: Effects,
  now: Date,
): void {
  if (decision.conflict === undefined) return
  const { clientId, id: transactionId, status, amount } = transaction
  const { outcome, source } = report
  // What was ordered, and what the provider says was paid.
  const reported = outcome.kind === 'succeeded' ? { reported: outcome.amount } : {}
  effects.conflicts.push({
    clientId,
    id: newId(now),
    transactionId,
    kind: decision.conflict,
    details: { ...withoutTokens(outcome), status, amount, ...reported, source },
    at: now,
  })
  // A payment of nothing is for a person as well, and moves nothing.
  if (decision.suspended !== undefined && decision.suspended > 0) {
    const sign = isDebit(transaction) ? -1 : 1
    const head = { clientId, id: newId(now), ref }
    effects.postings.push({
      posting: suspend(head, serviceOf(transaction), sign * decision.suspended),
      transaction: null,
    })
  }
}

/** Evidence is stored without recharge codes: anyone who reads one can spend it. */
function withoutTokens(outcome: object): object {
  return 'tokens' in outcome ? { ...outcome, tokens: undefined } : outcome
}

/** The key of a transaction in `Rows`. */
export function keyOf(clientId: number, id: string): string {
  return `${clientId} ${id}`
}
