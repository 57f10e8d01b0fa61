import type { Db } from '#data/db/db.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import { type ListRange, listPage } from './list.ts'
import type { TransactionFilter } from './list-store.ts'
import type { Transaction } from './transaction.ts'

const readAtOnce = 250

/** All transactions of a range that pass a filter, newest first, in memory for two pages. */
export async function* eachTransaction(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  { from, to }: Pick<ListRange, 'from' | 'to'>,
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
  }
}
