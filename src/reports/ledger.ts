import type { Db } from '../db/db.ts'
import { isUuid, lastId } from '../kit/ids.ts'
import { digestOf, genesis, linkOf } from '../ledger/chain.ts'
import type { EntryRow, PostingRow } from './ledger-store.ts'
import {
  findHash,
  findPostingClient,
  readChainedEntries,
  readLinesOf,
  readPostingsOf,
  readTransactionsOf,
  readWalkedEntries,
} from './ledger-store.ts'

/** An entry with its posting, and what was recomputed of it. */
export interface ShownEntry extends EntryRow {
  posting: ShownPosting
  /** The hash of the entry before it; null: the entry is in no chain. */
  previous: string | null
  /** Whether its hash follows from that one, its posting and its balances. Null: in no chain. */
  isLinked: boolean | null
}

/** A posting, and what was recomputed of it. */
export interface ShownPosting extends PostingRow {
  lines: EntryRow[]
  /** Whether all that it holds gives the digest that is stored. */
  isIntact: boolean
  /** The transaction that it moves money for; null: it is for none. */
  transactionId: string | null
}

export interface EntryPage {
  entries: ShownEntry[]
  /** Where the next page begins; null: this is the last one. */
  next: string | null
}

const examinedMax = 5000

interface EntryRange {
  clientId: number
  account: string
  /** The `next` of the page before; null: the first page. */
  after: string | null
  limit: number
}

/** Whether an account is one of a merchant, with a balance and a chain. */
export function isChained(account: string): boolean {
  return account === 'available' || account === 'held'
}

/** A page of the entries of an account, of one client's postings, newest first. */
export async function listEntries(
  db: Db,
  { clientId, account, after, limit }: EntryRange,
  examined = examinedMax,
): Promise<EntryPage> {
  const key = { clientId, account }
  if (isChained(account)) {
    const below = after === null ? Number.MAX_SAFE_INTEGER : Number(after)
    const found = await readChainedEntries(db, { ...key, below }, limit + 1)
    const entries = await showEntries(db, clientId, found)
    const last = entries.slice(0, limit).at(-1)
    const next = found.length > limit ? String(last?.version) : null
    return { entries: entries.slice(0, limit), next }
  }
  const below = after ?? lastId
  const { found, floor } = await readWalkedEntries(db, { ...key, below }, { limit, examined })
  // A posting may have two lines of an account: those of one are on the same page.
  const page = found.slice(0, limit).filter((one) => one.postingId !== found[limit]?.postingId)
  const next = found.length > limit ? (page.at(-1)?.postingId ?? null) : floor
  return { entries: await showEntries(db, clientId, page), next }
}

/** A posting of whichever client, with its lines as entries; undefined: there is none. */
export async function findPosting(
  db: Db,
  id: string,
): Promise<{ posting: ShownPosting; entries: ShownEntry[] } | undefined> {
  const clientId = await findPostingClient(db, id)
  if (clientId === undefined) return undefined
  const [posting] = await showPostings(db, clientId, [id])
  if (posting === undefined) return undefined
  return { posting, entries: await showEntries(db, clientId, posting.lines) }
}

async function showEntries(db: Db, clientId: number, rows: EntryRow[]): Promise<ShownEntry[]> {
  const ids = [...new Set(rows.map(({ postingId }) => postingId))]
  const postings = new Map((await showPostings(db, clientId, ids)).map((one) => [one.id, one]))
  const shown: ShownEntry[] = []
  for (const row of rows) {
    const posting = postings.get(row.postingId)
    // An entry without its posting is a break of the ledger, which a proof reports.
    if (posting === undefined) continue
    const previous = await previousOf(db, clientId, row, rows)
    shown.push({ ...row, posting, previous, isLinked: isLinked(row, posting, previous) })
  }
  return shown
}

/** The hash before an entry's: among the rows that were read, or looked up. */
async function previousOf(
  db: Db,
  clientId: number,
  { account, version }: EntryRow,
  rows: EntryRow[],
): Promise<string | null> {
  if (version === null) return null
  if (version === 1) return genesis
  const before = rows.find((row) => row.account === account && row.version === version - 1)
  const key = { clientId, account, version: version - 1 }
  return before?.hash ?? (await findHash(db, key)) ?? null
}

function isLinked(
  { account, version, before, amount, after, hash }: EntryRow,
  { digest }: PostingRow,
  previous: string | null,
): boolean | null {
  if (version === null || before === null || after === null) return null
  if (previous === null || after !== before + amount) return false
  return linkOf(previous, digest, { account, version, before, amount, after }) === hash
}

async function showPostings(db: Db, clientId: number, ids: string[]): Promise<ShownPosting[]> {
  const [postings, lines] = await Promise.all([
    readPostingsOf(db, clientId, ids),
    readLinesOf(db, clientId, ids),
  ])
  // Of a payment that came late, the provider's reference follows.
  const refs = postings.map(({ ref }) => ref.split('/')[0] ?? '').filter(isUuid)
  const transactions = await readTransactionsOf(db, clientId, [...new Set(refs)])
  return postings.map((posting) => {
    const own = lines.filter(({ postingId }) => postingId === posting.id)
    return {
      ...posting,
      lines: own,
      isIntact: digestOf({ ...posting, lines: own }) === posting.digest,
      transactionId: transactions.get(posting.ref.split('/')[0] ?? '') ?? null,
    }
  })
}
