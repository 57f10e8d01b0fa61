import type { Currency } from '../catalog/countries.ts'
import type { Tx } from '../kit/db.ts'
import type { Line } from './postings.ts'
import type { EntryPlace, PostingPlace, StoredPosting } from './verify-store.ts'
import { readEntries, readLines, readPostings } from './verify-store.ts'

export interface PostingWithLines extends StoredPosting {
  lines: Line[]
}

export interface StoredEntry extends EntryPlace {
  before: number
  amount: number
  after: number
  hash: string
  digest: string
  postingId: string
}

const pageSize = 5000

/**
 * All postings with their lines, in the order of their ids, page by page. The next page is on its
 * way while one is looked at: database and program work at the same time.
 */
export async function* postingPages(tx: Tx): AsyncGenerator<PostingWithLines[]> {
  let from: PostingPlace = { clientId: 0, id: '00000000-0000-0000-0000-000000000000' }
  let postings = await readPostings(tx, from, pageSize)
  let coming = readAhead(tx, from, postings)
  while (postings.length > 0) {
    const [lines, following] = await coming
    const page = joinLines(postings, lines)
    from = postings.at(-1) ?? from
    postings = following
    coming = readAhead(tx, from, postings)
    yield page
  }
}

/** The lines of a page, and the postings of the page after it. */
function readAhead(
  tx: Tx,
  from: PostingPlace,
  postings: StoredPosting[],
): Promise<[string, StoredPosting[]]> {
  const last = postings.at(-1)
  if (last === undefined) return Promise.resolve(['', []])
  return handled(Promise.all([readLines(tx, from, last), readPostings(tx, last, pageSize)]))
}

function joinLines(postings: StoredPosting[], text: string): PostingWithLines[] {
  const rows = text === '' ? [] : text.split('\n')
  let next = 0
  return postings.map((posting) => {
    const start = `${posting.clientId}\t${posting.id}\t`
    const lines: Line[] = []
    for (; rows[next]?.startsWith(start); next += 1) {
      const [account = '', currency, amount] = (rows[next] ?? '').slice(start.length).split('\t')
      lines.push({ account, currency: currency as Currency, amount: Number(amount) })
    }
    return { ...posting, lines }
  })
}

/** All entries of merchants' accounts, account by account in the order of their versions. */
export async function* entryPages(tx: Tx): AsyncGenerator<StoredEntry[]> {
  let coming = readEntries(tx, { clientId: 0, account: '', version: 0 }, pageSize)
  for (;;) {
    const text = await coming
    if (text === '') return
    coming = handled(readEntries(tx, readEntry(text.slice(text.lastIndexOf('\n') + 1)), pageSize))
    yield text.split('\n').map(readEntry)
  }
}

function readEntry(row: string): StoredEntry {
  const [clientId, account = '', version, before, amount, after, hash = '', digest = '', id = ''] =
    row.split('\t')
  return {
    clientId: Number(clientId),
    account,
    version: Number(version),
    before: Number(before),
    amount: Number(amount),
    after: Number(after),
    hash,
    digest,
    postingId: id,
  }
}

/** Whoever waits for it hears of a failure; nobody else has to. */
function handled<T>(coming: Promise<T>): Promise<T> {
  coming.catch(() => {})
  return coming
}
