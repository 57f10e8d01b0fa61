import type { Db, Tx } from '../kit/db.ts'
import { longRead } from '../kit/long-read.ts'
import { verifyAnchors } from './anchor.ts'
import type { Break } from './break.ts'
import { digestOf, genesis, linkOf } from './chain.ts'
import type { Account } from './decide.ts'
import type { PostingWithLines, StoredEntry } from './verify-pages.ts'
import { entryPages, postingPages } from './verify-pages.ts'
import { countPostings, readAccounts, readCrookedHolds, walkIndexes } from './verify-store.ts'

export interface Verdict {
  postings: number
  entries: number
  accounts: number
  anchors: number
  breaks: Break[]
}

// Enough to see the pattern; a ledger rewritten from end to end would list every entry.
const breaksMax = 100

/** Recomputes every balance and every link of every chain from the entries alone. */
export function verify(
  db: Db,
  progress: (done: number, total: number) => void = () => {},
): Promise<Verdict> {
  return longRead(db, async (tx) => {
    const counts = await countPostings(tx)
    const breaks: Break[] = []
    const found = (one: Break) => void (breaks.length < breaksMax && breaks.push(one))
    let done = 0
    const step = (count: number) => progress((done += count), counts.postings + counts.entries)
    const crooked = await readCrookedHolds(tx)
    await walkIndexes(tx)
    await verifyPostings(tx, found, step)
    const heads = await verifyEntries(tx, found, step)
    const accounts = await readAccounts(tx)
    for (const account of accounts) compareAccount(account, heads, found)
    findMissing(accounts, heads, found)
    for (const { clientId, id } of crooked)
      found({
        promise: 'hold',
        clientId,
        where: `posting ${id}`,
        what: 'ends a hold in part or again',
      })
    const anchors = await verifyAnchors(tx, (where, what) =>
      found({ promise: 'anchor', clientId: null, where, what }),
    )
    return { ...counts, accounts: accounts.length, anchors, breaks }
  })
}

/** Each posting sums to zero in each currency, and is still what it was when it was made. */
async function verifyPostings(
  tx: Tx,
  found: (one: Break) => void,
  step: (count: number) => void,
): Promise<void> {
  for await (const postings of postingPages(tx)) {
    for (const posting of postings) verifyPosting(posting, found)
    step(postings.length)
  }
}

function verifyPosting(posting: PostingWithLines, found: (one: Break) => void): void {
  const { clientId, id, lines } = posting
  const where = `posting ${id} (${posting.kind} ${posting.ref})`
  const sums = new Map<string, number>()
  for (const { currency, amount } of lines) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  if (lines.length === 0) found({ promise: 'balanced', clientId, where, what: 'has no lines' })
  for (const [currency, sum] of sums)
    if (sum !== 0)
      found({ promise: 'balanced', clientId, where, what: `sums to ${sum} ${currency}` })
  if (digestOf(posting) !== posting.digest)
    found({ promise: 'untouched', clientId, where, what: 'its content differs from its digest' })
}

// No balance: the entry was changed, so what it says is no measure for what follows.
type Heads = Map<string, { balance: number | null; version: number; head: string }>

/** Versions run 1, 2, 3…, each entry starts where the last one ended, and the chain holds. */
async function verifyEntries(
  tx: Tx,
  found: (one: Break) => void,
  step: (count: number) => void,
): Promise<Heads> {
  const heads: Heads = new Map()
  for await (const entries of entryPages(tx)) {
    for (const entry of entries) followEntry(entry, heads, found)
    step(entries.length)
  }
  return heads
}

function followEntry(entry: StoredEntry, heads: Heads, found: (one: Break) => void): void {
  const { clientId, account, version, before, amount, after, digest } = entry
  const key = `${clientId} ${account}`
  const head = heads.get(key) ?? { balance: 0, version: 0, head: genesis }
  const where = `${account} version ${version} (posting ${entry.postingId})`
  if (version !== head.version + 1)
    found({ promise: 'continuous', clientId, where, what: `follows version ${head.version}` })
  if (before !== (head.balance ?? before) || after !== before + amount || after < 0)
    found({
      promise: 'continuous',
      clientId,
      where,
      what: `goes from ${before} by ${amount} to ${after} after a balance of ${head.balance}`,
    })
  const link = linkOf(head.head, digest, { account, version, before, amount, after })
  if (link !== entry.hash)
    found({ promise: 'untouched', clientId, where, what: 'its hash does not follow the chain' })
  // Continue from what is stored, so that one change is reported once and not for all that follow.
  heads.set(key, { balance: link === entry.hash ? after : null, version, head: entry.hash })
}

function compareAccount(account: Account, heads: Heads, found: (one: Break) => void): void {
  const { clientId, kind, balance, version, head } = account
  const last = heads.get(`${clientId} ${kind}`) ?? { balance: 0, version: 0, head: genesis }
  const where = `account ${kind}`
  if (balance !== (last.balance ?? balance))
    found({
      promise: 'balance',
      clientId,
      where,
      what: `stores ${balance}, its entries end at ${last.balance}`,
    })
  if (version !== last.version || head !== last.head)
    found({
      promise: 'balance',
      clientId,
      where,
      what: `stands at version ${version}, its entries at ${last.version}`,
    })
}

function findMissing(accounts: Account[], heads: Heads, found: (one: Break) => void): void {
  const known = new Set(accounts.map(({ clientId, kind }) => `${clientId} ${kind}`))
  for (const key of heads.keys()) {
    const [clientId, kind] = key.split(' ')
    if (!known.has(key))
      found({
        promise: 'balance',
        clientId: Number(clientId),
        where: `account ${kind}`,
        what: 'has entries and no balance',
      })
  }
}
