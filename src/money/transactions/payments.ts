import type { OutcomeReport } from './decide.ts'

/*
 * A provider may report more than one payment for a transaction: its reference tells them apart. A
 * reference that is our own id is none of the provider's: such a payment is not told from others.
 */

/** The payments of a transaction that its provider has reported: attempt and reference of each. */
export type KnownPayments = Set<string>

/** The known payments of transactions, by client and id. */
export type Payments = Map<string, KnownPayments>

type Report = Pick<OutcomeReport, 'attemptId' | 'source' | 'outcome'>

const none: KnownPayments = new Set()

/** The known payments of the transaction of a report, to which `addPayment` may add. */
export function paymentsOf(payments: Payments, key: string, { outcome }: Report): KnownPayments {
  if (outcome.kind !== 'succeeded') return none
  const known = payments.get(key) ?? new Set()
  payments.set(key, known)
  return known
}

/** Names a payment. */
export function paymentName(attemptId: string, reference: string): string {
  return `${attemptId}/${reference}`
}

/** Whether a report repeats a payment that is known. */
export function isKnownPayment(known: KnownPayments, { attemptId, outcome }: Report): boolean {
  if (outcome.kind !== 'succeeded') return false
  if (outcome.reference === attemptId) return hasPaymentOf(known, attemptId)
  return (
    known.has(paymentName(attemptId, outcome.reference)) ||
    known.has(paymentName(attemptId, attemptId))
  )
}

/**
 * Whether a report is the first to name the payment of its attempt: before there was none, or only
 * one under our own id, or a person's word.
 */
export function isFirstNamed(known: KnownPayments, { attemptId, source, outcome }: Report) {
  if (outcome.kind !== 'succeeded' || source === 'operator') return false
  if (outcome.reference === attemptId) return false
  const unnamed = paymentName(attemptId, attemptId)
  return [...known].every((name) => name === unnamed)
}

/** Keeps the payment of a report. An operator's word is not a report of the provider. */
export function addPayment(known: KnownPayments, { attemptId, source, outcome }: Report): void {
  if (outcome.kind === 'succeeded' && source !== 'operator')
    known.add(paymentName(attemptId, outcome.reference))
}

/**
 * What the posting of a payment to suspense refers to: the attempt, and for a further payment of
 * the same attempt its reference too, since a posting is made once for each reference.
 */
export function suspenseRef(known: KnownPayments, { attemptId, outcome }: Report): string {
  return outcome.kind === 'succeeded' && hasPaymentOf(known, attemptId)
    ? paymentName(attemptId, outcome.reference)
    : attemptId
}

function hasPaymentOf(known: KnownPayments, attemptId: string): boolean {
  return [...known].some((name) => name.startsWith(`${attemptId}/`))
}
