import type { Viewer } from '../clients/scope.ts'
import type { Db } from '../db/db.ts'
import type { ListRange } from './list.ts'
import { listPage } from './list.ts'
import type { TransactionFilter } from './list-store.ts'
import type { Transaction } from './transaction.ts'

const readAtOnce = 2000

/**
 * All transactions of a range that pass a filter, newest first, in memory for one page. After each
 * page but the last it is told how far it has come: to the transactions before an id.
 */
export async function* eachTransaction(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  { from, to }: Pick<ListRange, 'from' | 'to'>,
  onPage: (before: string) => Promise<void> = async () => {},
): AsyncGenerator<Transaction> {
  let after: string | null = null
  do {
    const range: ListRange = { from, to, after, limit: readAtOnce }
    const { transactions, next } = await listPage(db, viewer, filter, range)
    yield* transactions
    after = next
    if (after !== null) await onPage(after)
  } while (after !== null)
}
