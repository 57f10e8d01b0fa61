import { firstIdAt, lastId } from '#base/kit/ids.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Db } from '#data/db/db.ts'
import { onlyKey, type Viewer } from '#merchants/clients/scope.ts'
import {
  areOpen,
  findEndsOf,
  findNthFromEnd,
  type IdRange,
  listOfPhone,
  listTransactions,
  type TransactionFilter,
} from './list-store.ts'
import type { Place } from './search-store.ts'
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

/** A filter that lets everything pass. */
export const anyTransaction: TransactionFilter = {
  statuses: null,
  operation: null,
  serviceCode: null,
  provider: null,
  phone: null,
  subMerchantId: null,
  externalIdPrefix: null,
}

/** The filter that also finds a number which is no longer kept. */
export function withPseudonym(
  filter: TransactionFilter,
  pseudonymOf: PseudonymOf,
): TransactionFilter {
  return filter.phone === null ? filter : { ...filter, pseudonym: pseudonymOf(filter.phone) }
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
  const range = idRange(from, to, after)
  const { phone, subMerchantId, statuses } = filter
  if (phone !== null) {
    const places = await placesOf(db, [viewer.clientId], range)
    const found = await listOfPhone(db, { ...range, places }, filter, {
      keyId: onlyKey(viewer),
      limit: limit + 1,
    })
    return pageOf(found, limit)
  }
  const isOpen = areOpen(statuses)
  const scope = { clientId: viewer.clientId, subMerchantId }
  const looked = { limit: limit + 1, examined: isOpen ? Number.MAX_SAFE_INTEGER : examined }
  const found = await listTransactions(db, viewer, range, filter, looked)
  if (isOpen || found.length > limit) return pageOf(found, limit)
  // The page is not full: there may be more behind those that were looked at.
  const floor = await findNthFromEnd(db, scope, range, examined)
  // What was created meanwhile has moved the floor: the next page has what is below it.
  const above = found.filter(({ id }) => floor === undefined || id >= floor)
  return pageOf(above, limit, floor)
}

/** The ids of a time range, and before the last of the page before. */
export function idRange(from: Date | null, to: Date | null, after: string | null): IdRange {
  const ends = [after, to === null ? null : firstIdAt(to)].filter((id) => id !== null)
  return { first: firstIdAt(from ?? new Date(0)), below: ends.toSorted()[0] ?? lastId }
}

/** A page of one row more than asked for: that row only tells that there is a next page. */
export function pageOf(found: Transaction[], limit: number, floor?: string): TransactionPage {
  const transactions = found.slice(0, limit)
  const next = found.length > limit ? transactions.at(-1)?.id : floor
  return { transactions, next: next ?? null }
}

const periodDigits = 5

/**
 * The periods of three days in which clients have transactions of a range, newest first: the first
 * digits of ids, by which the indexes of numbers and references are ordered.
 */
export async function placesOf(db: Db, clientIds: number[], range: IdRange): Promise<Place[]> {
  const places = (await findEndsOf(db, clientIds, range)).flatMap(
    ({ clientId, oldest, newest }) => {
      const last = periodNumber(newest)
      return Array.from({ length: last - periodNumber(oldest) + 1 }, (_, back) => ({
        clientId,
        period: (last - back).toString(16).padStart(periodDigits, '0'),
      }))
    },
  )
  // Stable: in a period the clients keep their order.
  return places.sort((one, other) => periodNumber(other.period) - periodNumber(one.period))
}

function periodNumber(id: string): number {
  return Number.parseInt(id.slice(0, periodDigits), 16)
}
