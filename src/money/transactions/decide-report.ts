import type { BoundedReport } from './bounds.ts'
import { type Decision, decideOutcome, type OutcomeReport } from './decide.ts'
import { isFirstNamed, isKnownPayment, type KnownPayments } from './payments.ts'
import { serviceOf, type Transaction } from './transaction.ts'

/** Decides what a report means, given the payments of its transaction that were reported before. */
export function decideReport(
  transaction: Transaction,
  report: BoundedReport,
  known: KnownPayments,
  now: Date,
): Decision {
  const { source, outcome, capability, attemptId, isHint = false, isResent = false } = report
  if (outcome.kind === 'succeeded' && isKnownPayment(known, report)) {
    // Its money is in suspense, or it is the payment by which the transaction succeeded. A person
    // who says that it has is not the provider saying it again.
    if (transaction.completedAt === null && source !== 'operator') return { dueAt: null }
    if (transaction.completedAt !== null && transaction.status !== 'SUCCESS') return {}
  } else if (outcome.kind === 'succeeded' && transaction.status === 'SUCCESS') {
    // Paid a second time: that money is not owed to the merchant. After an operator's word for the
    // success, the first payment of the attempt that a provider reports is the one meant.
    if (attemptId !== transaction.attemptId || known.size > 0)
      return { conflict: 'late_success', suspended: outcome.amount }
  }
  const facts = { ...transaction, currency: serviceOf(transaction).currency }
  const decided = decideOutcome(facts, outcome, source, capability, now, isResent)
  const decision = report.isReferenceCut
    ? withoutReference(decided)
    : { ...decided, ...newlyNamed(transaction, report, known, decided) }
  if (!isHint) return decision
  return decision.conflict === 'contradiction' ? { conflict: decision.conflict } : {}
}

/** The payment counts; only a person can tell its provider which one to send back. */
function withoutReference(decided: Decision): Decision {
  const { reference: _unusable, ...decision } = decided
  return decision.trigger === 'provider_succeeded'
    ? { ...decision, conflict: 'unusable_reference' }
    : decision
}

/** The reference of the payment by which a transaction succeeded, once its provider tells it. */
function newlyNamed(
  { status, attemptId, reference }: Transaction,
  report: OutcomeReport,
  known: KnownPayments,
  { conflict }: Decision,
): Pick<Decision, 'reference'> {
  const { outcome } = report
  if (outcome.kind !== 'succeeded' || status !== 'SUCCESS' || conflict !== undefined) return {}
  if (report.attemptId !== attemptId || outcome.reference === reference) return {}
  return isFirstNamed(known, report) ? { reference: outcome.reference } : {}
}
