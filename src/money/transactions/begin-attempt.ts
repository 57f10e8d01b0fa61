import { after } from '#base/kit/clock.ts'
import { newIdVersion4 } from '#base/kit/ids.ts'
import type { Tx } from '#data/db/db.ts'
import { insertAttempt, lockTransactions, updateTransactions } from './store.ts'
import { ownLeaseMs, type Transaction } from './transaction.ts'

/**
 * Gives an order that provably was never sent a new attempt; undefined: another process did, or the
 * order has ended meanwhile. An end leaves the attempt as it was: its state alone tells nothing.
 */
export async function beginAttempt(
  tx: Tx,
  known: Transaction,
  now: Date,
): Promise<Transaction | undefined> {
  const [transaction] = await lockTransactions(tx, [known])
  if (transaction === undefined || transaction.completedAt !== null) return undefined
  if (transaction.attemptId !== known.attemptId || transaction.attemptState !== 'not_sent')
    return undefined
  const begun: Transaction = {
    ...transaction,
    attemptId: newIdVersion4(now),
    attemptNumber: transaction.attemptNumber + 1,
    attemptState: 'recorded',
    attemptedAt: after(now, ownLeaseMs),
    reference: null,
    dueAt: after(now, ownLeaseMs),
  }
  await updateTransactions(tx, [begun])
  await insertAttempt(tx, begun, now)
  return begun
}
