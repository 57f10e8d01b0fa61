import { firstIdAt, timeOfIdMs } from '#base/kit/ids.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Db } from '#data/db/db.ts'
import {
  examinedMax,
  idRange,
  type ListRange,
  pageOf,
  placesOf,
  type TransactionPage,
  withPseudonym,
} from './list.ts'
import { listOpen, readClientIds, readWindow } from './list-all-store.ts'
import {
  areOpen,
  findEndsOf,
  type IdRange,
  listOfPhone,
  type TransactionFilter,
} from './list-store.ts'
import { namedTransaction } from './named.ts'
import { searchTransactions } from './search.ts'
import { findBearers, findOwn } from './timeline-store.ts'
import type { Transaction } from './transaction.ts'

/** The transactions of all clients, for operators. */
export function ofAllClients(db: Db, pseudonymOf: PseudonymOf) {
  return {
    /** A page of them. */
    list: (filter: TransactionFilter, range: ListRange) =>
      listAll(db, withPseudonym(filter, pseudonymOf), range),
    /** What a text names, of whichever client. */
    search: (text: string) => searchAll(db, text, pseudonymOf),
    /** Whose a transaction with our id is. */
    ownerOf: (id: string) => findOwn(db, id),
    /** Those that bear an external id, and whose they are. */
    bearersOf: (externalId: string) => findBearers(db, externalId, null),
    /** The one that an operator names, of a client if it is given; see `namedTransaction`. */
    named: (text: string, options: Parameters<typeof namedTransaction>[2]) =>
      namedTransaction(db, text, options),
  }
}

/** What a text names of all clients; see `searchTransactions`. */
export async function searchAll(
  db: Db,
  text: string,
  pseudonymOf?: PseudonymOf,
): Promise<Transaction[]> {
  return searchTransactions(db, await readClientIds(db), text, pseudonymOf)
}

/**
 * A page of the transactions of all clients, newest first. Every index of transactions begins with
 * the client, and an index for operators alone would be paid for by each payment: each client is
 * asked for its own, and the rows are put in order here. Sub-merchants are not looked at.
 */
export async function listAll(
  db: Db,
  filter: TransactionFilter,
  { from, to, after, limit }: ListRange,
  examined = examinedMax,
): Promise<TransactionPage> {
  const clientIds = await readClientIds(db)
  const range = idRange(from, to, after)
  const { phone, statuses } = filter
  if (phone !== null) return pageOf(await listPhone(db, clientIds, range, filter, limit + 1), limit)
  if (areOpen(statuses))
    return pageOf(await listOpen(db, clientIds, range, filter, limit + 1), limit)
  return listWindows(db, clientIds, range, filter, { limit, examined })
}

// Twelve days: a page is mostly full after one statement.
const periodsAtOnce = 4

async function listPhone(
  db: Db,
  clientIds: number[],
  range: IdRange,
  filter: TransactionFilter,
  limit: number,
): Promise<Transaction[]> {
  const places = await placesOf(db, clientIds, range)
  const periods = [...Map.groupBy(places, ({ period }) => period).values()]
  const found: Transaction[] = []
  // Whole periods, each of all clients: only so are all that follow older.
  for (let done = 0; done < periods.length && found.length < limit; done += periodsAtOnce) {
    const near = periods.slice(done, done + periodsAtOnce).flat()
    const most = { keyId: null, perPlace: limit, limit: limit * near.length }
    found.push(...(await listOfPhone(db, { ...range, places: near }, filter, most)))
  }
  return found.sort((one, other) => (one.id < other.id ? 1 : -1))
}

const firstWindowMs = 3_600_000
const growth = 4

/**
 * Looks into windows of time, newest first, each four times as long as the one before while they
 * hold little, until the page is full or so many rows were looked at: a filter that hardly any row
 * passes ends a page early, and `next` continues where it stopped.
 */
async function listWindows(
  db: Db,
  clientIds: number[],
  range: IdRange,
  filter: TransactionFilter,
  { limit, examined: most }: { limit: number; examined: number },
): Promise<TransactionPage> {
  const ends = await findEndsOf(db, clientIds, range)
  const newest = ends
    .map((one) => one.newest)
    .toSorted()
    .at(-1)
  const oldest = ends.map((one) => one.oldest).toSorted()[0]
  if (newest === undefined || oldest === undefined) return { transactions: [], next: null }
  const found: Transaction[] = []
  let [below, lengthMs, looked] = [range.below, firstWindowMs, 0]
  let start = timeOfIdMs(newest)
  while (below > oldest && found.length <= limit && looked < most) {
    const first = firstIdAt(new Date(start - lengthMs))
    const window = { first: first < range.first ? range.first : first, below }
    const wanted = { limit: limit + 1 - found.length, perClient: most }
    const seen = await readWindow(db, clientIds, window, filter, wanted)
    // Below the floor of a client there is more of it: others are not shown before that.
    const isBelow = ({ id }: Transaction) => seen.floor !== null && id < seen.floor
    found.push(...seen.found.filter((one) => !isBelow(one)))
    below = seen.floor ?? window.first
    start = timeOfIdMs(below)
    looked += seen.examined
    if (looked * growth <= most) lengthMs *= growth
  }
  return pageOf(found, limit, below > oldest ? below : undefined)
}
