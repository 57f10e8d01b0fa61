import { RecentMap } from '../kit/recent-map.ts'
import type { Transaction } from './transaction.ts'

/**
 * The open transactions that this process has just written, as it wrote them. They save asking the
 * database for what is known already; whether a copy still is what it was is found out when it is
 * written back, by its version.
 */
export interface Copies {
  /** A copy of its own, to be changed at will. */
  get(id: { clientId: number; id: string }): Transaction | undefined
  findByAttempt(attempt: { clientId: number; id: string }): Transaction | undefined
  /** Keeps what was committed; what has ended is forgotten. */
  keep(transaction: Transaction): void
  forget(id: { clientId: number; id: string }): void
}

// Some 2 KB each. What was pushed out is read from the database, as in any other process: payers
// who take their time are not waited for here.
const copiesMax = 10_000

/** Opens an empty memory; the oldest go first. */
export function openCopies(): Copies {
  const byId = new RecentMap<string, Transaction>(copiesMax)
  const byAttempt = new RecentMap<string, string>(copiesMax)

  function forget(id: { clientId: number; id: string }): void {
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

function keyOf({ clientId, id }: { clientId: number; id: string }): string {
  return `${clientId} ${id}`
}

function attemptKeyOf({ clientId, attemptId }: Transaction): string {
  return `${clientId} ${attemptId}`
}
