import type { Viewer } from '../clients/scope.ts'
import type { Db } from '../db/db.ts'
import type { ListRange } from './list.ts'
import { listPage } from './list.ts'
import type { TransactionFilter } from './list-store.ts'
import type { Transaction } from './transaction.ts'

const readAtOnce = 2000

/**
 * All transactions of a range that pass a filter, newest first, in memory for two pages. After each
 * page but the last it is told how far it has come: to the transactions before an id.
 */
export async function* eachTransaction(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  { from, to }: Pick<ListRange, 'from' | 'to'>,
  onPage: (before: string) => Promise<void> = async () => {},
): AsyncGenerator<Transaction> {
  const read = (after: string | null) =>
    listPage(db, viewer, filter, { from, to, after, limit: readAtOnce })
  let reading = read(null)
  for (;;) {
    const { transactions, next } = await reading
    if (next !== null) {
      // While these are written, the next ones are read. Whoever stops early does not need them.
      reading = read(next)
      reading.catch(() => {})
    }
    yield* transactions
    if (next === null) return
    await onPage(next)
  }
}
