import type { Sweeper } from '../db/due.ts'
import { claimDue, startSweeper } from '../db/due.ts'
import { drive } from './drive.ts'
import type { Engine } from './open.ts'
import { findTransaction } from './store.ts'
import { ownLeaseMs } from './transaction.ts'

/**
 * The safety net under every transaction that is not final: whoever is due is asked for, sent again
 * or left to a person, by any process, one at a time.
 */
export function startTransactionSweeper(engine: Engine): Sweeper {
  const { db, clock, log } = engine
  return startSweeper({
    name: 'transactions',
    claim: (now, limit) =>
      claimDue(db, {
        table: 'transactions',
        now,
        leaseMs: ownLeaseMs,
        limit,
      }),
    work: async (due) => {
      await Promise.all(due.map((id) => driveOne(engine, id)))
    },
    batchMax: 100,
    idleMs: 500,
    clock,
    log,
  })
}

/** Looks at one transaction now; a failure is logged, and the row falls due again. */
export async function driveOne(
  engine: Engine,
  id: { clientId: number; id: string },
): Promise<void> {
  try {
    const transaction = await findTransaction(engine.db, id)
    if (transaction === undefined || transaction.completedAt !== null) return
    await drive(engine, transaction)
  } catch (problem) {
    engine.log.error(
      { err: problem, transactionId: id.id },
      'a transaction will be looked at again',
    )
  }
}
