import type { Db, Tx } from '../kit/db.ts'
import { verifyAnchors } from './anchor.ts'
import type { Break } from './break.ts'
import { digestOf, genesis, linkOf } from './chain.ts'
import type { Account } from './decide.ts'
import type { StoredEntry, StoredLine } from './verify-store.ts'
import {
  countPostings,
  freezeView,
  readAccounts,
  readCrookedHolds,
  readEntries,
  readPostings,
} from './verify-store.ts'

export interface Verdict {
  postings: number
  entries: number
  accounts: number
  anchors: number
  breaks: Break[]
}

const pageSize = 5000
// Enough to see the pattern; a ledger rewritten from end to end would list every entry.
const breaksMax = 100

/** Recomputes every balance and every link of every chain from the entries alone. */
export function verify(
  db: Db,
  progress: (done: number, total: number) => void = () => {},
): Promise<Verdict> {
  return db.transaction(async (tx) => {
    await freezeView(tx)
    const counts = await countPostings(tx)
    const breaks: Break[] = []
    const found = (one: Break) => void (breaks.length < breaksMax && breaks.push(one))
    let done = 0
    const step = (count: number) => progress((done += count), counts.postings + counts.entries)
    await verifyPostings(tx, found, step)
    const heads = await verifyEntries(tx, found, step)
    const accounts = await readAccounts(tx)
    for (const account of accounts) compareAccount(account, heads, found)
    findMissing(accounts, heads, found)
    for (const { clientId, id } of await readCrookedHolds(tx))
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
  let from = { clientId: 0, id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const lines = await readPostings(tx, from, pageSize)
    const postings = groupLines(lines)
    for (const posting of postings) verifyPosting(posting, found)
    const last = postings.at(-1)?.[0]
    if (last === undefined) return
    from = last
    step(postings.length)
  }
}

function groupLines(lines: StoredLine[]): StoredLine[][] {
  const groups: StoredLine[][] = []
  for (const line of lines) {
    const group = groups.at(-1)
    if (group?.[0]?.id === line.id && group[0].clientId === line.clientId) group.push(line)
    else groups.push([line])
  }
  return groups
}

function verifyPosting(lines: StoredLine[], found: (one: Break) => void): void {
  const [posting] = lines
  if (posting === undefined) return
  const { clientId, id } = posting
  const where = `posting ${id} (${posting.kind} ${posting.ref})`
  const sums = new Map<string, number>()
  for (const { currency, amount } of lines) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  for (const [currency, sum] of sums)
    if (sum !== 0 || currency === null)
      found({
        promise: 'balanced',
        clientId,
        where,
        what: currency === null ? 'has no lines' : `sums to ${sum} ${currency}`,
      })
  if (digestOf({ ...posting, lines }) !== posting.digest)
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
  let from = { clientId: 0, account: '', version: 0 }
  for (;;) {
    const entries = await readEntries(tx, from, pageSize)
    for (const entry of entries) followEntry(entry, heads, found)
    const last = entries.at(-1)
    if (last === undefined) return heads
    from = last
    step(entries.length)
  }
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
