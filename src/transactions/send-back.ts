import { Refusal } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Tx } from '../db/db.ts'
import { newId } from '../kit/ids.ts'
import { post } from '../ledger/post.ts'
import { explain, hold } from '../ledger/postings.ts'
import type { TransactionContext } from './context.ts'
import { sendWithin } from './init.ts'
import { draftRefund } from './refund.ts'
import type { LateMoney } from './send-back-store.ts'
import { hasOpenRefund, readLateMoney } from './send-back-store.ts'
import { insertTransactions, lockTransactions, updateTransactions } from './store.ts'
import type { Transaction } from './transaction.ts'

export interface SendBack {
  clientId: number
  id: string
  /** Why, and who asked for it. */
  reason: string
  actor: string
}

/**
 * Sends money back that a payer paid after its collection had ended. One database transaction moves
 * it from suspense to the merchant and holds it for a refund, so that the merchant's balance stays
 * as it was. If the provider declines the refund, the merchant has the money, and it can be sent
 * back again.
 */
export async function sendBack(context: TransactionContext, order: SendBack): Promise<Transaction> {
  const now = context.clock.now()
  const refund = await context.db.transaction((tx) => recordSendBack(tx, order, now))
  return sendWithin(context, refund)
}

async function recordSendBack(tx: Tx, order: SendBack, now: Date): Promise<Transaction> {
  // Under the original's lock, as every refund: two of them never send the same money.
  const [original] = await lockTransactions(tx, [order])
  if (original === undefined) throw new Refusal('not_found', 'No transaction found')
  const late = await findSendable(tx, original)
  const { reason, actor } = order
  const draft = draftRefund(original, original.keyId, { reason }, now)
  const refund = await holdLateMoney(tx, { ...draft, amount: late.amount }, late, now)
  const { clientId, id, amount } = refund
  await insertTransactions(tx, [refund])
  // A reversal names the provider's payment by the original's reference.
  const reference = late.reference ?? original.reference
  await updateTransactions(tx, [{ ...original, reference, refunded: original.refunded + amount }])
  const details = { id: original.id, refundId: id, amount, reason }
  await recordAudit(tx, { at: now, actor, action: 'transaction.send_back', clientId, details })
  return refund
}

async function findSendable(tx: Tx, original: Transaction): Promise<LateMoney> {
  const { operation, status, completedAt, refunded } = original
  if (operation !== 'CASHOUT' || completedAt === null || status === 'SUCCESS')
    throw new Refusal('conflict', 'Only a collection that came to nothing can be sent back')
  if (await hasOpenRefund(tx, original))
    throw new Refusal('conflict', 'It is being sent back already')
  const sendable = chooseMoney(await readLateMoney(tx, original), refunded)
  if (sendable === undefined)
    throw new Refusal('conflict', 'No money of it is left to be sent back')
  if (refunded + sendable.amount > original.amount)
    throw new Refusal('conflict', 'More came than was asked for: it must be sent back by hand')
  return sendable
}

/** Money in suspense, else money whose refund was declined before; undefined: none is left. */
function chooseMoney(late: LateMoney[], refunded: number): LateMoney | undefined {
  const inSuspense = late.find(({ isExplained }) => !isExplained)
  if (inSuspense !== undefined) return inSuspense
  const amount = late.reduce((sum, one) => sum + one.amount, 0) - refunded
  const [last] = late
  return last === undefined || amount === 0 ? undefined : { ...last, amount }
}

/** Moves the money out of suspense, once for each attempt, and holds it for the refund. */
async function holdLateMoney(
  tx: Tx,
  refund: Transaction,
  { attemptId, amount, isExplained }: LateMoney,
  now: Date,
): Promise<Transaction> {
  const { clientId, id } = refund
  const holding = hold({ clientId, id: newId(now), ref: id }, amount)
  const explaining = explain({ clientId, id: newId(now), ref: attemptId }, amount)
  const posted = await post(tx, [...(isExplained ? [] : [explaining]), holding], now)
  const held = posted.at(-1)
  if (!held?.isPosted || posted.some((one) => !one.isPosted))
    throw new Refusal('insufficient_funds', 'Insufficient balance')
  const { before, after } = held.available
  return { ...refund, holdId: holding.id, balanceBefore: before, balanceAfter: after }
}
