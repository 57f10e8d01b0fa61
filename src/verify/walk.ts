import type { Tx } from '../db/db.ts'
import type { Scope } from './ledger-store.ts'
import type { PostingColumns, PostingKey, PostingRange } from './pages-store.ts'
import { readPostings } from './pages-store.ts'
import type { Window } from './windows.ts'
import { openWindows } from './windows.ts'

/** A range, and its postings if it has any. */
export interface Page {
  range: PostingRange
  postings: PostingColumns | undefined
}

const lowestKey: PostingKey = {
  clientId: -(2 ** 31),
  id: '00000000-0000-0000-0000-000000000000',
}
const highestKey: PostingKey = {
  clientId: 2 ** 31 - 1,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/**
 * Reads all postings: one window of time after the other, and in each window in the order of
 * clients and ids. Rows are stored in the order of time, so that nearly every page of the table is
 * read once. Client by client, it would be read once for each client (docs/decisions/0027).
 */
export async function* walkPostings(tx: Tx, scope: Scope): AsyncGenerator<Page> {
  const { clients, first, last, entries } = scope
  const target = Math.min(pageMost, Math.max(pageLeast, clients.length * postingsEach))
  const limit = target * 2
  const ends = { first: timeOfId(first), last: timeOfId(last) }
  const windows = openWindows({ ...ends, expected: entries, target })
  for (let window = windows.next(0); window !== undefined; ) {
    const range = { clients, ...idsIn(window), after: lowestKey, upTo: highestKey }
    let postings = await readPostings(tx, range, limit)
    const shorter = postings?.count === limit ? windows.shorter() : undefined
    if (shorter !== undefined) {
      window = shorter
      continue
    }
    let count = 0
    while (postings?.count === limit) {
      const upTo = lastKeyOf(postings)
      yield { range: { ...range, upTo }, postings }
      count += limit
      range.after = upTo
      postings = await readPostings(tx, range, limit)
    }
    yield { range, postings }
    window = windows.next(count + (postings?.count ?? 0))
  }
}

// Postings in a page: several of each client, and few enough for memory.
const [pageLeast, pageMost, postingsEach] = [1000, 20_000, 4]

/** The time at which an id was made, in milliseconds. */
function timeOfId(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16)
}

/** The first and the last id that a window can have. */
function idsIn({ from, below }: Window): { from: string; to: string } {
  return {
    from: idPrefix(from) + lowestKey.id.slice(13),
    to: idPrefix(below - 1) + highestKey.id.slice(13),
  }
}

function idPrefix(timeMs: number): string {
  const digits = timeMs.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

function lastKeyOf({ keys }: PostingColumns): PostingKey {
  return readKey(keys.slice(keys.lastIndexOf('\n') + 1))
}

/** Reads one line of a column of keys. */
export function readKey(text: string): PostingKey & { resolves: string | null } {
  const [clientId, id = '', resolves = null] = text.split(',')
  return { clientId: Number(clientId), id, resolves }
}
