import { newId } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import type { Tx } from '#data/db/db.ts'
import { type Making, untilCommitKnown, whileHeld } from '#data/db/making.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import { post } from '#money/ledger/post.ts'
import { hold } from '#money/ledger/postings.ts'
import { currentRules } from '#money/limits/current.ts'
import { checkFor, type Rules } from '#money/limits/rules.ts'
import { checkLimits } from '#money/limits/take.ts'
import type { TransactionContext } from './context.ts'
import { getOwn } from './find.ts'
import { floatRefusal, sendWithin } from './init.ts'
import {
  claimExternalIds,
  findByExternalIds,
  insertTransactions,
  lockTransactions,
  updateTransactions,
} from './store.ts'
import { freshAttempt, serviceOf, type Transaction } from './transaction.ts'

export interface RefundOrder {
  transactionId: string
  /** Absent: all that is left. */
  amount?: number
  reason?: string
  externalId?: string
  callbackUrl?: string
  /** Of a request that may be repeated: its one record. */
  making?: Making | undefined
}

/** A refund recorded, or the record that has its external id already. */
export type Refunded =
  | { kind: 'recorded'; transaction: Transaction; isNew: boolean }
  | { kind: 'duplicate'; existing: Transaction | undefined }

/**
 * Refunds a collection, in whole or in part. The original is locked while the remaining amount is
 * computed, so concurrent refunds never exceed it together; the money is held before the provider
 * is asked.
 */
export async function refundTransaction(
  context: TransactionContext,
  caller: Viewer,
  order: RefundOrder,
): Promise<Refunded> {
  const original = await getOwn(context.db, caller, order.transactionId)
  const amount = order.amount ?? original.amount - original.refunded
  const service = serviceOf(original)
  const isShort = await context.floats.isShort(service, amount)
  const rules = await context.limits.rules()
  const now = context.clock.now()
  const refund = draftRefund(original, caller.keyId, order, now)
  const recorded = await untilCommitKnown(() =>
    context.db.transaction((tx) =>
      whileHeld(tx, [order.making], async () => {
        const made = await recordRefund(tx, refund, order, rules, now)
        // Last: who may not refund this learns nothing of the float.
        if (isShort && made.kind === 'recorded' && made.isNew) throw floatRefusal(service)
        return made
      }),
    ),
  )
  if (recorded.kind !== 'recorded') return recorded
  return { ...recorded, transaction: await sendWithin(context, recorded.transaction) }
}

async function recordRefund(
  tx: Tx,
  draft: Transaction,
  order: RefundOrder,
  rules: Rules,
  now: Date,
): Promise<Refunded> {
  const { clientId, id, externalId } = draft
  const locked = await lockTransactions(tx, [{ clientId, id: draft.originalId ?? '' }, draft])
  const known = locked.find((one) => one.id === id)
  if (known !== undefined) return { kind: 'recorded', transaction: known, isNew: false }
  const [original] = locked
  if (original?.operation !== 'CASHOUT' || original.status !== 'SUCCESS')
    throw new Refusal('refund_not_allowed', 'Only a successful collection can be refunded')
  refuseWithoutNumber(original)
  // Before the remaining amount is checked: a repeated request finds its own record.
  if (externalId !== null) {
    const claimed = await claimExternalIds(tx, [{ clientId, externalId, id }])
    if (!claimed.has(id)) {
      const [existing] = await findByExternalIds(tx, [{ clientId, externalId }])
      return { kind: 'duplicate', existing }
    }
  }
  const left = original.amount - original.refunded
  const amount = order.amount ?? left
  if (left === 0 || amount > left)
    throw new Refusal(
      'refund_not_allowed',
      reason('At most {left} FCFA of it can still be refunded', { left }),
    )
  const current = await currentRules(tx, rules, now)
  const check = checkFor(current, { ...draft, amount })
  if (check !== undefined) {
    const { refused } = await checkLimits(tx, [check], now)
    for (const refusal of refused.values()) throw refusal
  }
  const holding = hold({ clientId, id: newId(now), ref: id }, amount)
  const [posted] = await post(tx, [holding], now)
  if (!posted?.isPosted) throw new Refusal('insufficient_funds', 'Insufficient balance')
  const transaction: Transaction = {
    ...draft,
    amount,
    holdId: holding.id,
    balanceBefore: posted.available.before,
    balanceAfter: posted.available.after,
  }
  await insertTransactions(tx, [transaction])
  await updateTransactions(tx, [{ ...original, refunded: original.refunded + amount }])
  return { kind: 'recorded', transaction, isNew: true }
}

/** Refuses to send money back to a number that is no longer kept. */
export function refuseWithoutNumber({ phone }: Pick<Transaction, 'phone'>): void {
  if (isPseudonym(phone))
    throw new Refusal(
      'refund_not_allowed',
      "The payer's number has been erased: the payment is too old to be sent back",
    )
}

/** The refund of an original, still without amount and hold. */
export function draftRefund(
  original: Transaction,
  keyId: string,
  order: Omit<RefundOrder, 'transactionId'>,
  now: Date,
): Transaction {
  return {
    ...original,
    id: order.making?.id ?? newId(now),
    keyId,
    linkId: null,
    externalId: order.externalId ?? null,
    operation: 'REFUND',
    fee: 0,
    callbackUrl: order.callbackUrl ?? original.callbackUrl,
    reason: order.reason ?? null,
    originalId: original.id,
    ...freshAttempt(now),
  }
}
