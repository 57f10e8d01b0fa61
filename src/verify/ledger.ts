import type { Db, Tx } from '../db/db.ts'
import { parallelLongRead } from '../db/long-read.ts'
import { digestOf, genesis } from '../ledger/chain.ts'
import type { Account } from '../ledger/decide.ts'
import type { Line } from '../ledger/postings.ts'
import { verifyAnchors } from './anchors.ts'
import type { Break } from './break.ts'
import type { Head } from './chains.ts'
import { openChains } from './chains.ts'
import type { Holds } from './holds.ts'
import { openHolds } from './holds.ts'
import { readAccounts, readScope, walkIndexes } from './ledger-store.ts'
import type { StoredPosting } from './pages.ts'
import { accountPages, postingPages } from './pages.ts'

/** What was read, and every promise that was found broken. */
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
export function verifyLedger(
  db: Db,
  progress: (done: number, total: number) => void = () => {},
): Promise<Verdict> {
  return parallelLongRead(db, async (tx, beside) => {
    await Promise.all([walkIndexes(tx), walkIndexes(beside)])
    const scope = await readScope(tx)
    const breaks: Break[] = []
    const found = (one: Break) => void (breaks.length < breaksMax && breaks.push(one))
    const counts = { postings: 0, entries: 0 }
    const step = (postings: number, entries: number) => {
      counts.postings += postings
      counts.entries += entries
      progress(counts.entries, Math.max(counts.entries, scope.entries))
    }
    const holds = openHolds(tx)
    const pages = postingPages(tx, beside, scope, ({ clientId, id }) =>
      found({
        promise: 'balanced',
        clientId,
        where: `posting ${id}`,
        what: 'is gone, but not its lines',
      }),
    )
    const heads = await verifyPostings(tx, pages, holds, found, step)
    const accounts = await readAccounts(tx)
    for (const account of accounts) compareAccount(account, heads, found)
    findMissing(accounts, heads, found)
    for (const { clientId, id } of await holds.crooked())
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

/**
 * Each posting sums to zero in each currency, and is still what it was when it was made; its
 * entries continue the chains of their accounts. Tells where these have come to.
 */
async function verifyPostings(
  tx: Tx,
  pages: AsyncIterable<StoredPosting[]>,
  holds: Holds,
  found: (one: Break) => void,
  step: (postings: number, entries: number) => void,
): Promise<Map<string, Head>> {
  const chains = openChains(found)
  for await (const postings of pages) {
    let entries = 0
    for (const posting of postings) {
      verifyPosting(posting, found)
      holds.take(posting)
      for (const entry of posting.entries) chains.take(entry)
      entries += posting.entries.length
    }
    step(postings.length, entries)
  }
  for (const place of chains.disorderly())
    for await (const entries of accountPages(tx, place)) for (const one of entries) chains.take(one)
  return chains.end()
}

function verifyPosting(posting: StoredPosting, found: (one: Break) => void): void {
  const { clientId, id, lines } = posting
  const isUntouched = digestOf(posting) === posting.digest
  if (isUntouched && isBalanced(lines)) return
  const tell = (promise: Break['promise'], what: string) =>
    found({ promise, clientId, where: `posting ${id} (${posting.kind} ${posting.ref})`, what })
  if (lines.length === 0) tell('balanced', 'has no lines')
  for (const [currency, sum] of sumsOf(lines))
    if (sum !== 0) tell('balanced', `sums to ${sum} ${currency}`)
  if (!isUntouched) tell('untouched', 'its content differs from its digest')
}

/** Whether lines of one currency sum to zero; of others there is more to ask. */
function isBalanced(lines: Line[]): boolean {
  const currency = lines[0]?.currency
  let sum = 0
  for (const line of lines) {
    if (line.currency !== currency) return false
    sum += line.amount
  }
  return sum === 0 && lines.length > 0
}

function sumsOf(lines: Line[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { currency, amount } of lines) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return sums
}

type Heads = Map<string, Head>

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
