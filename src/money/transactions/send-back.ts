import { newId } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { post } from '#money/ledger/post.ts'
import { explain, hold } from '#money/ledger/postings.ts'
import { closeLatePayment } from './conflict-store.ts'
import type { TransactionContext } from './context.ts'
import { sendWithin } from './init.ts'
import { draftRefund, refuseWithoutNumber } from './refund.ts'
import { isBeingSentBack, type LateMoney, readLateMoney } from './send-back-store.ts'
import { insertTransactions, lockTransactions, updateTransactions } from './store.ts'
import type { Transaction } from './transaction.ts'

export interface SendBack {
  clientId: number
  id: string
  /** Why, and who asked for it. */
  reason: string
  actor: string
  /** By which the provider knows the payment that is meant; absent: the one whose turn it is. */
  reference?: string | undefined
  /** The payment that was seen; any other is refused. Absent: the one whose turn it is. */
  expected?: SeenPayment
}

/** What is seen of a payment that is to be sent back. */
export interface SeenPayment {
  amount: number
  reference: string
  /** Where its money is: with the merchant, once a refund of it was declined. */
  from?: 'suspense' | 'available'
}

/** A payment that is being sent back. */
export interface SentBack {
  refund: Transaction
  original: Transaction
  payment: Required<SeenPayment>
}

/**
 * Sends money back that a payer paid after its collection had ended: late, or a second time. One
 * database transaction moves it from suspense to the merchant and holds it for a refund, so that
 * the merchant's balance stays as it was. If the provider declines the refund, the merchant has the
 * money, and it can be sent back again. Several payments are sent back one after the other.
 */
export async function sendBack(context: TransactionContext, order: SendBack): Promise<Transaction> {
  const now = context.clock.now()
  const { refund } = await context.db.transaction((tx) => recordSendBack(tx, order, now))
  return sendWithin(context, refund)
}

/**
 * Moves the money out of suspense and holds it for a refund, which is to be sent afterwards. Every
 * check looks at what is read under the lock of the original; a preview runs this very function, in
 * a database transaction that is undone.
 */
export async function recordSendBack(tx: Tx, order: SendBack, now: Date): Promise<SentBack> {
  // Under the original's lock, as every refund: two of them never send the same money.
  const [original] = await lockTransactions(tx, [order])
  if (original === undefined) throw new Refusal('not_found', 'No transaction found')
  const late = await findSendable(tx, original, order)
  const payment = seenPayment(late)
  refuseOther(order.expected, payment)
  const { reason, actor } = order
  const draft = draftRefund(original, original.keyId, { reason }, now)
  const lateDraft = { ...draft, amount: late.amount, lateReference: late.reference }
  const refund = await holdLateMoney(tx, lateDraft, late, now)
  const { clientId, id, amount } = refund
  await insertTransactions(tx, [refund])
  // What is sent back of a collection that succeeded leaves its own payment as it was.
  if (original.status !== 'SUCCESS') {
    const reference = original.reference ?? late.reference
    await updateTransactions(tx, [{ ...original, reference, refunded: original.refunded + amount }])
  }
  const closing = { at: now, by: actor, reason: `sent back by ${id}` }
  await closeLatePayment(tx, original, late.reference, closing)
  const details = { id: original.id, refundId: id, amount, reason }
  await recordAudit(tx, { at: now, actor, action: 'transaction.send_back', clientId, details })
  return { refund, original, payment }
}

function seenPayment({ amount, reference, isExplained }: LateMoney): Required<SeenPayment> {
  return { amount, reference, from: isExplained ? 'available' : 'suspense' }
}

function refuseOther(expected: SeenPayment | undefined, payment: Required<SeenPayment>): void {
  if (expected === undefined) return
  const { amount, reference, from } = { ...payment, ...expected }
  if (amount !== payment.amount || reference !== payment.reference || from !== payment.from)
    throw new Refusal('conflict', 'The payment to send back is no longer the one you saw')
}

async function findSendable(
  tx: Tx,
  original: Transaction,
  { reference }: Pick<SendBack, 'reference'>,
): Promise<LateMoney> {
  const { operation, status, completedAt } = original
  const late = operation === 'CASHOUT' ? await readLateMoney(tx, original) : []
  if (
    operation !== 'CASHOUT' ||
    completedAt === null ||
    (status === 'SUCCESS' && late.length === 0)
  )
    throw new Refusal('conflict', 'Only a collection that failed can be sent back')
  if (await isBeingSentBack(tx, original))
    throw new Refusal('conflict', 'It is already being sent back')
  // Money in suspense first, then money whose refund was declined.
  const named = late.filter((one) => one.reference === reference)
  // A single one may be called by another name there.
  const meant = reference === undefined || late.length === 1 ? late : named
  const sendable =
    meant.find(({ isExplained }) => !isExplained) ?? meant.find(({ isSentBack }) => !isSentBack)
  if (sendable === undefined) throw new Refusal('conflict', 'Nothing is left to send back')
  if (sendable.amount > original.amount)
    throw new Refusal('conflict', 'More was received than requested: it must be sent back by hand')
  refuseWithoutNumber(original)
  return sendable
}

/** Moves the money out of suspense, once for each payment, and holds it for the refund. */
async function holdLateMoney(
  tx: Tx,
  refund: Transaction,
  { ref, amount, isExplained }: LateMoney,
  now: Date,
): Promise<Transaction> {
  const { clientId, id } = refund
  const holding = hold({ clientId, id: newId(now), ref: id }, amount)
  const explaining = explain({ clientId, id: newId(now), ref }, amount)
  const posted = await post(tx, [...(isExplained ? [] : [explaining]), holding], now)
  const held = posted.at(-1)
  if (!held?.isPosted || posted.some((one) => !one.isPosted))
    throw new Refusal('insufficient_funds', 'Insufficient balance')
  const { before, after } = held.available
  return { ...refund, holdId: holding.id, balanceBefore: before, balanceAfter: after }
}
