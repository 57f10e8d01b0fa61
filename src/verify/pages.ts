import { setImmediate as turn } from 'node:timers/promises'
import type { Currency } from '../catalog/countries.ts'
import type { Tx } from '../db/db.ts'
import { bigintAt, readRepeatedTexts, readTexts, timestampAt } from '../db/packed-columns.ts'
import type { Line } from '../ledger/postings.ts'
import type { LineColumns, PostingColumns, PostingPlace, Scope } from './ledger-store.ts'
import { readEntries, readLines } from './ledger-store.ts'
import type { Page } from './walk.ts'
import { toPlace, walkPostings } from './walk.ts'

/** An entry of a merchant's account. */
export interface StoredEntry {
  clientId: number
  account: string
  version: number
  before: number
  amount: number
  after: number
  hash: string
  /** Of its posting. */
  digest: string
  postingId: string
}

/** A posting with its lines; those of merchants' accounts are entries of a chain, too. */
export interface StoredPosting extends PostingPlace {
  kind: string
  ref: string
  resolves: string | null
  createdAt: Date
  digest: string
  lines: Line[]
  entries: StoredEntry[]
}

/**
 * All postings, page by page, roughly in the order of time. The next page is on its way while one
 * is looked at, its lines over one connection and the postings that follow over the other: database
 * and program work at the same time. `stray` hears of lines without a posting.
 */
export async function* postingPages(
  tx: Tx,
  beside: Tx,
  scope: Scope,
  stray: (place: PostingPlace) => void,
): AsyncGenerator<StoredPosting[]> {
  const walk = walkPostings(beside, scope)
  let page = await walk.next()
  let coming = readAhead(tx, walk, page)
  while (page.done !== true) {
    const [lines, following] = await coming
    const { postings } = page.value
    page = following
    coming = readAhead(tx, walk, page)
    // The questions leave at the end of this turn, and what is done with a page fills the next one.
    await turn()
    yield joinLines(postings === undefined ? [] : toPostings(postings), lines, stray)
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
  const coming = Promise.all([readLines(tx, page.value.range), walk.next()])
  // Whoever waits for it hears of a failure; nobody else has to.
  coming.catch(() => {})
  return coming
}

function toPostings({ places, moments, ...columns }: PostingColumns): StoredPosting[] {
  const digests = columns.digests.split(',')
  const kinds = readRepeatedTexts(columns.kinds)
  const refs = readTexts(columns.refs)
  let last: PostingPlace | undefined
  return places.split('\n').map((text, index) => {
    const place = toPlace(text)
    last = inOrder(last, place)
    const { clientId, id, resolves } = place
    return {
      clientId,
      id,
      kind: kinds[index] ?? '',
      ref: refs[index] ?? '',
      resolves,
      createdAt: timestampAt(moments, index),
      digest: digests[index] ?? '',
      lines: [],
      entries: [],
    }
  })
}

/** Both are in the order of the postings' ids: one walk along the lines is enough. */
function joinLines(
  postings: StoredPosting[],
  columns: LineColumns | undefined,
  stray: (place: PostingPlace) => void,
): StoredPosting[] {
  if (columns === undefined) return postings
  const places = columns.places.split('\n')
  const take = lineTaker(columns)
  let line = 0
  const skipTo = (posting: StoredPosting | undefined) => {
    for (; line < places.length; line += 1) {
      const place = toPlace(places[line] ?? '')
      if (posting !== undefined && !isBefore(place, posting)) return
      // A line that is out of order comes by here, behind all postings that come before it.
      inOrder(line > 0 ? toPlace(places[line - 1] ?? '') : undefined, place)
      stray(place)
      take(undefined)
    }
  }
  for (const posting of postings) {
    const place = `${posting.clientId},${posting.id}`
    if (places[line] !== place) skipTo(posting)
    for (; places[line] === place; line += 1) take(posting)
  }
  skipTo(undefined)
  return postings
}

/** The second of two places, unless it comes before the first: then nothing can be said of them. */
function inOrder(last: PostingPlace | undefined, place: PostingPlace): PostingPlace {
  if (last !== undefined && isBefore(place, last)) throw new Error('the ledger came out of order')
  return place
}

function isBefore(one: PostingPlace, other: PostingPlace): boolean {
  return one.clientId < other.clientId || (one.clientId === other.clientId && one.id < other.id)
}

/** Adds line after line to the posting that each is of, if there is one. */
function lineTaker(columns: LineColumns): (posting: StoredPosting | undefined) => void {
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
  place: { clientId: number; account: string },
): AsyncGenerator<StoredEntry[]> {
  for (let version = 0; ; ) {
    const text = await readEntries(tx, { ...place, version }, entriesMax)
    if (text === '') return
    const page = text.split('\n').map((row) => ({ ...place, ...readEntry(row) }))
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
