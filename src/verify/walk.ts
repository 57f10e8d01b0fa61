import type { Tx } from '../db/db.ts'
import type { PostingColumns, PostingPlace, PostingRange, Scope } from './ledger-store.ts'
import { readPostings } from './ledger-store.ts'
import type { Window } from './windows.ts'
import { openWindows } from './windows.ts'

/** Postings, if there are any where they were looked for, and where that was. */
export interface Page {
  range: PostingRange
  postings: PostingColumns | undefined
}

const firstPlace: PostingPlace = {
  clientId: -(2 ** 31),
  id: '00000000-0000-0000-0000-000000000000',
}
const lastPlace: PostingPlace = {
  clientId: 2 ** 31 - 1,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/**
 * Goes through time window by window, in each of which postings are read in the order of clients
 * and ids. Tables are in the order of time, so that nearly every page of them is read once: client
 * by client it would be once for each of them.
 */
export async function* walkPostings(tx: Tx, scope: Scope): AsyncGenerator<Page> {
  const { clients, first, last, entries } = scope
  const target = Math.min(pageMost, Math.max(pageLeast, clients.length * eachClient))
  const limit = target * 2
  const ends = { first: momentOf(first), last: momentOf(last) }
  const windows = openWindows({ ...ends, expected: entries, target })
  for (let window = windows.next(0); window !== undefined; ) {
    const range = { clients, ...idsIn(window), after: firstPlace, upTo: lastPlace }
    let postings = await readPostings(tx, range, limit)
    const shorter = postings?.count === limit ? windows.shorter() : undefined
    if (shorter !== undefined) {
      window = shorter
      continue
    }
    let found = 0
    while (postings?.count === limit) {
      const upTo = lastOf(postings)
      yield { range: { ...range, upTo }, postings }
      found += limit
      range.after = upTo
      postings = await readPostings(tx, range, limit)
    }
    yield { range, postings }
    window = windows.next(found + (postings?.count ?? 0))
  }
}

// Large enough to find several postings of each client in it, and small enough for memory.
const [pageLeast, pageMost, eachClient] = [1000, 20_000, 4]

/** When an id was made, in milliseconds. */
function momentOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16)
}

/** The ids that begin with a moment of a window. */
function idsIn({ from, below }: Window): { from: string; to: string } {
  return {
    from: beginningOf(from) + firstPlace.id.slice(13),
    to: beginningOf(below - 1) + lastPlace.id.slice(13),
  }
}

function beginningOf(moment: number): string {
  const digits = moment.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

function lastOf({ places }: PostingColumns): PostingPlace {
  return toPlace(places.slice(places.lastIndexOf('\n') + 1))
}

/** One of the places that came as text. */
export function toPlace(text: string): PostingPlace & { resolves: string | null } {
  const [clientId, id = '', resolves = null] = text.split(',')
  return { clientId: Number(clientId), id, resolves }
}
