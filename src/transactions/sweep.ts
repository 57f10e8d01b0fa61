import type { Sweeper } from '../db/due.ts'
import { claimDue, startSweeper } from '../db/due.ts'
import type { TransactionContext } from './context.ts'
import { drive } from './drive.ts'
import { findTransaction } from './store.ts'
import type { TransactionId } from './transaction.ts'
import { ownLeaseMs } from './transaction.ts'

/**
 * Drives every transaction that is due and not final: queries its provider, sends it again or parks
 * it. Any process may run it; a lease keeps two from driving the same transaction.
 */
export function startTransactionSweeper(context: TransactionContext): Sweeper {
  const { db, clock, log } = context
  return startSweeper({
    name: 'transactions',
    // Does not count the version: no decision depends on the due date of a cached row.
    claim: (now, limit) =>
      claimDue(db, {
        table: 'transactions',
        now,
        leaseMs: ownLeaseMs,
        limit,
      }),
    work: async (due) => {
      await Promise.all(due.map((id) => driveOne(context, id)))
    },
    batchMax: 100,
    idleMs: 500,
    clock,
    log,
  })
}

/** Drives one transaction now; a failure is logged, and the row falls due again. */
export async function driveOne(context: TransactionContext, id: TransactionId): Promise<void> {
  try {
    const transaction = await findTransaction(context.db, id)
    if (transaction === undefined || transaction.completedAt !== null) return
    await drive(context, transaction)
  } catch (problem) {
    context.log.error(
      { err: problem, transactionId: id.id },
      'a transaction will be looked at again',
    )
  }
}
