/*
 * FAST PATH. The open transactions that this process wrote last, as it wrote them.
 *
 * Gain: see optimistic-recording.ts, its only reader beside `findByAttempt`.
 * Must never: be trusted. Whether a cached row is current is decided by its version when it is
 * written back; what has ended, and what failed to be written, is forgotten.
 * Plain version: reading the row (`lockTransactions`, `findByAttempts`); compared in
 * `optimistic-recording.test.ts`.
 * Decision: docs/decisions/0022.
 */
import { RecentMap } from '#base/kit/recent-map.ts'
import type { AttemptId, Transaction, TransactionId } from './transaction.ts'

export interface RowCache {
  /** A copy that the caller may change. */
  get(id: TransactionId): Transaction | undefined
  findByAttempt(attempt: AttemptId): Transaction | undefined
  /** Keeps what was committed; forgets what has ended. */
  keep(transaction: Transaction): void
  forget(id: TransactionId): void
}

// Some 2 KB each. An evicted row is read from the database, as one that another process wrote.
const rowsMax = 10_000

/** Opens an empty cache; the oldest rows are evicted first. */
export function openRowCache(): RowCache {
  const byId = new RecentMap<string, Transaction>(rowsMax)
  const byAttempt = new RecentMap<string, string>(rowsMax)

  function forget(id: TransactionId): void {
    const key = keyOf(id)
    const known = byId.get(key)
    if (known === undefined) return
    byId.delete(key)
    byAttempt.delete(attemptKeyOf(known))
  }

  return {
    get: (id) => {
      const known = byId.get(keyOf(id))
      return known && { ...known }
    },
    findByAttempt: ({ clientId, id }) => {
      const known = byId.get(byAttempt.get(`${clientId} ${id}`) ?? '')
      return known && { ...known }
    },
    keep: (transaction) => {
      const key = keyOf(transaction)
      const known = byId.get(key)
      if (known?.attemptId !== transaction.attemptId || transaction.completedAt !== null)
        forget(transaction)
      if (transaction.completedAt !== null) return
      byId.set(key, { ...transaction })
      byAttempt.set(attemptKeyOf(transaction), key)
    },
    forget,
  }
}

function keyOf({ clientId, id }: TransactionId): string {
  return `${clientId} ${id}`
}

function attemptKeyOf({ clientId, attemptId }: Transaction): string {
  return `${clientId} ${attemptId}`
}
