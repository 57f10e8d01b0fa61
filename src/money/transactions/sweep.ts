import { claimDue, type Sweeper, startSweeper } from '#data/db/due.ts'
import { askForToken } from './ask-for-token.ts'
import type { TransactionContext } from './context.ts'
import { drive } from './drive.ts'
import { findTransaction } from './store.ts'
import { isTokenMissing, ownLeaseMs, type TransactionId } from './transaction.ts'
import { openPullBack, wakeProvider } from './wake.ts'

/**
 * Drives every transaction that is due and not final: queries its provider, sends it again or parks
 * it. Any process may run it; a lease keeps two from driving the same transaction.
 */
export function startTransactionSweeper(context: TransactionContext): Sweeper {
  const { db, clock, log, providers } = context
  const waking = new Set<Promise<unknown>>()
  const stopListening = providers.onBack((provider) => {
    const woken = wakeProvider(context, provider)
      .catch((problem: unknown) =>
        log.error({ err: problem, provider }, 'open orders could not be made due'),
      )
      .finally(() => waking.delete(woken))
    waking.add(woken)
  })
  const pullBackIfDue = openPullBack(context)
  const sweeper = startSweeper({
    name: 'transactions',
    // Does not count the version: no decision depends on the due date of a cached row.
    claim: async (now, limit) => {
      await pullBackIfDue(now)
      return claimDue(db, { table: 'transactions', now, leaseMs: ownLeaseMs, limit })
    },
    work: async (due) => {
      await Promise.all(due.map((id) => driveOne(context, id)))
    },
    batchMax: 100,
    idleMs: 500,
    clock,
    log,
  })
  return {
    ...sweeper,
    stop: async () => {
      stopListening()
      await Promise.all([sweeper.stop(), ...waking])
    },
  }
}

/** Drives one transaction now; a failure is logged, and the row falls due again. */
export async function driveOne(context: TransactionContext, id: TransactionId): Promise<void> {
  try {
    const transaction = await findTransaction(context.db, id)
    if (transaction === undefined) return
    if (isTokenMissing(transaction)) await askForToken(context, transaction)
    else if (transaction.completedAt === null) await drive(context, transaction)
  } catch (problem) {
    context.log.error(
      { err: problem, transactionId: id.id },
      'a transaction will be looked at again',
    )
  }
}
