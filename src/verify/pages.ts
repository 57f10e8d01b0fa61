import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Currency } from '../catalog/countries.ts'
import type { Tx } from '../db/db.ts'
import { bigintAt, readRepeatedTexts, readTexts, timestampAt } from '../db/packed-columns.ts'
import type { Line } from '../ledger/postings.ts'
import type { Scope } from './ledger-store.ts'
import { readEntries } from './ledger-store.ts'
import type { LineColumns, PostingColumns, PostingKey } from './pages-store.ts'
import { readLines } from './pages-store.ts'
import type { Page } from './walk.ts'
import { readKey, walkPostings } from './walk.ts'

/** An entry of a merchant's account. */
export interface StoredEntry {
  clientId: number
  account: string
  version: number
  before: number
  amount: number
  after: number
  hash: string
  /** Its posting's. */
  digest: string
  postingId: string
}

/** A posting with its lines; those of merchants' accounts are entries of a chain as well. */
export interface StoredPosting extends PostingKey {
  kind: string
  ref: string
  resolves: string | null
  createdAt: Date
  digest: string
  lines: Line[]
  entries: StoredEntry[]
}

/**
 * All postings with their lines, page by page, roughly in the order of time. While the caller
 * checks a page, the next one is read: its lines over `tx`, the postings after it over `second`.
 * `reportOrphan` is called for each line without a posting.
 */
export async function* postingPages(
  tx: Tx,
  second: Tx,
  scope: Scope,
  reportOrphan: (key: PostingKey) => void,
): AsyncGenerator<StoredPosting[]> {
  const walk = walkPostings(second, scope)
  let page = await walk.next()
  let pending = readAhead(tx, walk, page)
  while (page.done !== true) {
    const [lines, nextPage] = await pending
    const { postings } = page.value
    page = nextPage
    pending = readAhead(tx, walk, page)
    // Statements are written to the socket at the end of this turn of the event loop. Without the
    // pause they would wait until the caller has checked this page.
    await nextTurn()
    yield joinLines(postings === undefined ? [] : toPostings(postings), lines, reportOrphan)
  }
}

type Step = IteratorResult<Page>

/** The lines of a page of postings, and the page after it. */
function readAhead(
  tx: Tx,
  walk: AsyncGenerator<Page>,
  page: Step,
): Promise<[LineColumns | undefined, Step]> {
  if (page.done === true) return Promise.resolve([undefined, page])
  const pending = Promise.all([readLines(tx, page.value.range), walk.next()])
  // The next `await` handles the rejection; this only prevents an unhandledRejection.
  pending.catch(() => {})
  return pending
}

function toPostings({ keys, times, ...columns }: PostingColumns): StoredPosting[] {
  const digests = columns.digests.split(',')
  const kinds = readRepeatedTexts(columns.kinds)
  const refs = readTexts(columns.refs)
  let last: PostingKey | undefined
  return keys.split('\n').map((text, index) => {
    const key = readKey(text)
    assertOrder(last, key)
    last = key
    const { clientId, id, resolves } = key
    return {
      clientId,
      id,
      kind: kinds[index] ?? '',
      ref: refs[index] ?? '',
      resolves,
      createdAt: timestampAt(times, index),
      digest: digests[index] ?? '',
      lines: [],
      entries: [],
    }
  })
}

/** Adds lines to their postings. Both are in the order of keys, so each is passed once. */
function joinLines(
  postings: StoredPosting[],
  columns: LineColumns | undefined,
  reportOrphan: (key: PostingKey) => void,
): StoredPosting[] {
  if (columns === undefined) return postings
  const keys = columns.keys.split('\n')
  const addNextTo = lineAdder(columns)
  let line = 0
  const reportOrphansBefore = (posting: StoredPosting | undefined) => {
    for (; line < keys.length; line += 1) {
      const key = readKey(keys[line] ?? '')
      if (posting !== undefined && !isBefore(key, posting)) return
      // A line that is out of order also gets here: its posting was passed already.
      assertOrder(line > 0 ? readKey(keys[line - 1] ?? '') : undefined, key)
      reportOrphan(key)
      addNextTo(undefined)
    }
  }
  for (const posting of postings) {
    const key = `${posting.clientId},${posting.id}`
    if (keys[line] !== key) reportOrphansBefore(posting)
    for (; keys[line] === key; line += 1) addNextTo(posting)
  }
  reportOrphansBefore(undefined)
  return postings
}

/** Throws when rows are not in the order of keys: lines could then not be matched to postings. */
function assertOrder(last: PostingKey | undefined, key: PostingKey): void {
  if (last !== undefined && isBefore(key, last)) throw new Error('the ledger came out of order')
}

function isBefore(one: PostingKey, other: PostingKey): boolean {
  return one.clientId < other.clientId || (one.clientId === other.clientId && one.id < other.id)
}

/** Returns a function that adds the next line to a posting, or skips it when there is none. */
function lineAdder(columns: LineColumns): (posting: StoredPosting | undefined) => void {
  const { amounts, befores, afters } = columns
  const accounts = readRepeatedTexts(columns.accounts)
  const currencies = readRepeatedTexts(columns.currencies)
  const versions = columns.versions.split(',')
  const hashes = columns.hashes.split(',')
  let line = 0
  let entry = 0
  return (posting) => {
    const account = accounts[line] ?? ''
    const amount = bigintAt(amounts, line)
    const version = versions[line] ?? ''
    posting?.lines.push({ account, currency: currencies[line] as Currency, amount })
    line += 1
    if (version === '') return
    posting?.entries.push({
      clientId: posting.clientId,
      account,
      amount,
      version: Number(version),
      before: bigintAt(befores, entry),
      after: bigintAt(afters, entry),
      hash: hashes[entry] ?? '',
      digest: posting.digest,
      postingId: posting.id,
    })
    entry += 1
  }
}

const entriesMax = 1000

/** The entries of one account, in the order of their versions. */
export async function* accountPages(
  tx: Tx,
  key: { clientId: number; account: string },
): AsyncGenerator<StoredEntry[]> {
  for (let version = 0; ; ) {
    const text = await readEntries(tx, { ...key, version }, entriesMax)
    if (text === '') return
    const page = text.split('\n').map((row) => ({ ...key, ...readEntry(row) }))
    yield page
    version = page.at(-1)?.version ?? version
  }
}

function readEntry(row: string) {
  const [version, before, amount, after, hash = '', digest = '', postingId = ''] = row.split('\t')
  return {
    version: Number(version),
    before: Number(before),
    amount: Number(amount),
    after: Number(after),
    hash,
    digest,
    postingId,
  }
}
