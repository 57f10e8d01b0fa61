import type { Viewer } from '../clients/scope.ts'
import type { Db } from '../db/db.ts'
import { firstIdAt, lastId } from '../kit/ids.ts'
import type { IdRange, TransactionFilter } from './list-store.ts'
import { findNthFromEnd, listTransactions } from './list-store.ts'
import type { Transaction } from './transaction.ts'

/** Which part of a list is asked for: created from `from` on and before `to`, `limit` of them. */
export interface ListRange {
  from: Date | null
  to: Date | null
  /** The `next` of the page before; null: the first page. */
  after: string | null
  limit: number
}

export interface TransactionPage {
  transactions: Transaction[]
  /** Where the next page begins; null: this is the last one. */
  next: string | null
}

/**
 * How many rows one page looks at. A filter that hardly any row passes ends a page early instead of
 * reading a merchant's whole history; `next` continues where it stopped.
 */
export const examinedMax = 10_000

/** A page of what a key sees, newest first: ids begin with the time of creation. */
export async function listPage(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  { from, to, after, limit }: ListRange,
  examined = examinedMax,
): Promise<TransactionPage> {
  const ends = [after, to === null ? null : firstIdAt(to)].filter((id) => id !== null)
  const range: IdRange = {
    first: firstIdAt(from ?? new Date(0)),
    below: ends.toSorted()[0] ?? lastId,
  }
  const floor = await findNthFromEnd(db, viewer.clientId, range, examined)
  const examinedRange = { ...range, first: floor ?? range.first }
  const found = await listTransactions(db, viewer, examinedRange, filter, limit + 1)
  const transactions = found.slice(0, limit)
  const next = found.length > limit ? transactions.at(-1)?.id : floor
  return { transactions, next: next ?? null }
}
