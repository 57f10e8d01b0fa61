import { setImmediate as turn } from 'node:timers/promises'
import type { Currency } from '../catalog/countries.ts'
import { momentAt, readWords, wholeAt } from '../kit/columns.ts'
import type { Tx } from '../kit/db.ts'
import type { Line } from './postings.ts'
import type { LineColumns, PostingColumns, PostingPlace } from './verify-store.ts'
import { readEntries, readLines, readPostings } from './verify-store.ts'

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

const pageSize = 1000

const firstPlace: PostingPlace = { clientId: 0, id: '00000000-0000-0000-0000-000000000000' }
const lastPlace: PostingPlace = {
  clientId: 2 ** 31 - 1,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/**
 * All postings in the order of their ids, page by page. The next page is on its way while one is
 * looked at, its lines over one connection and the postings that follow over the other: database
 * and program work at the same time. `stray` hears of lines without a posting.
 */
export async function* postingPages(
  tx: Tx,
  beside: Tx,
  stray: (place: PostingPlace) => void,
): AsyncGenerator<StoredPosting[]> {
  let from = firstPlace
  let page = await readPostings(beside, from, pageSize)
  let coming = readAhead(tx, beside, from, page)
  while (page !== undefined) {
    const [lines, following] = await coming
    const postings = page
    from = lastOf(page)
    page = following
    coming = readAhead(tx, beside, from, page)
    // The questions leave at the end of this turn, and what is done with a page fills the next one.
    await turn()
    yield joinLines(toPostings(postings), lines, stray)
  }
  joinLines([], await readLines(tx, from, lastPlace), stray)
}

/** The lines of a page of postings, and the postings of the page after it. */
function readAhead(
  tx: Tx,
  beside: Tx,
  from: PostingPlace,
  page: PostingColumns | undefined,
): Promise<[LineColumns | undefined, PostingColumns | undefined]> {
  if (page === undefined) return Promise.resolve([undefined, undefined])
  const last = lastOf(page)
  const coming = Promise.all([readLines(tx, from, last), readPostings(beside, last, pageSize)])
  // Whoever waits for it hears of a failure; nobody else has to.
  coming.catch(() => {})
  return coming
}

function lastOf({ places }: PostingColumns): PostingPlace {
  return toPlace(places.slice(places.lastIndexOf('\n') + 1))
}

function toPlace(text: string): PostingPlace & { resolves: string | null } {
  const [clientId, id = '', resolves = null] = text.split(',')
  return { clientId: Number(clientId), id, resolves }
}

function toPostings({ places, moments, ...columns }: PostingColumns): StoredPosting[] {
  const digests = columns.digests.split(',')
  const kinds = readWords(columns.kinds)
  const refs = readWords(columns.refs)
  return places.split('\n').map((place, index) => {
    const { clientId, id, resolves } = toPlace(place)
    return {
      clientId,
      id,
      kind: kinds[index] ?? '',
      ref: refs[index] ?? '',
      resolves,
      createdAt: momentAt(moments, index),
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

function isBefore(one: PostingPlace, other: PostingPlace): boolean {
  return one.clientId < other.clientId || (one.clientId === other.clientId && one.id < other.id)
}

/** Adds line after line to the posting that each is of, if there is one. */
function lineTaker(columns: LineColumns): (posting: StoredPosting | undefined) => void {
  const { amounts, befores, afters } = columns
  const accounts = readWords(columns.accounts)
  const currencies = readWords(columns.currencies)
  const versions = columns.versions.split(',')
  const hashes = columns.hashes.split(',')
  let line = 0
  let entry = 0
  return (posting) => {
    const account = accounts[line] ?? ''
    const amount = wholeAt(amounts, line)
    const version = versions[line] ?? ''
    posting?.lines.push({ account, currency: currencies[line] as Currency, amount })
    line += 1
    if (version === '') return
    posting?.entries.push({
      clientId: posting.clientId,
      account,
      amount,
      version: Number(version),
      before: wholeAt(befores, entry),
      after: wholeAt(afters, entry),
      hash: hashes[entry] ?? '',
      digest: posting.digest,
      postingId: posting.id,
    })
    entry += 1
  }
}

/** The entries of one account, in the order of their versions. */
export async function* accountPages(
  tx: Tx,
  place: { clientId: number; account: string },
): AsyncGenerator<StoredEntry[]> {
  for (let version = 0; ; ) {
    const text = await readEntries(tx, { ...place, version }, pageSize)
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
