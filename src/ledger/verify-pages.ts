import { setImmediate as turn } from 'node:timers/promises'
import type { Currency } from '../catalog/countries.ts'
import type { Tx } from '../kit/db.ts'
import type { Line } from './postings.ts'
import type { PostingPlace } from './verify-store.ts'
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

const pageSize = 5000

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
  let text = await readPostings(beside, from, pageSize)
  let coming = readAhead(tx, beside, from, text)
  while (text !== '') {
    const [lines, following] = await coming
    const postings = text
    from = lastOf(text)
    text = following
    coming = readAhead(tx, beside, from, text)
    // The questions leave at the end of this turn, and what is done with a page fills the next one.
    await turn()
    yield joinLines(postings.split('\n').map(readPosting), lines, stray)
  }
  joinLines([], await readLines(tx, from, lastPlace), stray)
}

/** The lines of a page of postings, and the postings of the page after it. */
function readAhead(
  tx: Tx,
  beside: Tx,
  from: PostingPlace,
  postings: string,
): Promise<[string, string]> {
  if (postings === '') return Promise.resolve(['', ''])
  const last = lastOf(postings)
  const coming = Promise.all([readLines(tx, from, last), readPostings(beside, last, pageSize)])
  // Whoever waits for it hears of a failure; nobody else has to.
  coming.catch(() => {})
  return coming
}

function lastOf(postings: string): PostingPlace {
  return readPosting(postings.slice(postings.lastIndexOf('\n') + 1))
}

function readPosting(row: string): StoredPosting {
  const [clientId, id = '', resolves, ms, digest = '', kind = '', ref = ''] = row.split('\t')
  return {
    clientId: Number(clientId),
    id,
    kind: unquote(kind),
    ref: unquote(ref),
    resolves: resolves === '' ? null : (resolves ?? null),
    createdAt: new Date(Number(ms)),
    digest,
    lines: [],
    entries: [],
  }
}

/** A text that was written as JSON. */
function unquote(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}

/** Both are in the order of the postings' ids: one walk along the text is enough. */
function joinLines(
  postings: StoredPosting[],
  text: string,
  stray: (place: PostingPlace) => void,
): StoredPosting[] {
  let at = 0
  const takeLine = (from: number) => {
    const end = text.indexOf('\n', at)
    const row = text.slice(from, end === -1 ? undefined : end).split('\t')
    at = end === -1 ? text.length : end + 1
    return row
  }
  const skipTo = (posting: StoredPosting | undefined) => {
    while (at < text.length) {
      const [clientId, id = ''] = text
        .slice(at, text.indexOf('\n', at) + 1 || undefined)
        .split('\t')
      const place = { clientId: Number(clientId), id }
      if (posting !== undefined && !isBefore(place, posting)) return
      stray(place)
      takeLine(at)
    }
  }
  for (const posting of postings) {
    const start = `${posting.clientId}\t${posting.id}\t`
    if (!text.startsWith(start, at)) skipTo(posting)
    while (text.startsWith(start, at)) addLine(posting, takeLine(at + start.length))
  }
  skipTo(undefined)
  return postings
}

function isBefore(one: PostingPlace, other: PostingPlace): boolean {
  return one.clientId < other.clientId || (one.clientId === other.clientId && one.id < other.id)
}

function addLine(
  { clientId, id: postingId, digest, lines, entries }: StoredPosting,
  row: string[],
) {
  const [account = '', currency, amountText, version, before, after, hash = ''] = row
  const amount = Number(amountText)
  lines.push({ account, currency: currency as Currency, amount })
  if (version === undefined) return
  entries.push({
    clientId,
    account,
    amount,
    version: Number(version),
    before: Number(before),
    after: Number(after),
    hash,
    digest,
    postingId,
  })
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
