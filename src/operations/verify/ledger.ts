import type { Db, Tx } from '#data/db/db.ts'
import { parallelLongRead } from '#data/db/long-read.ts'
import { digestOf, genesis } from '#money/ledger/chain.ts'
import type { Account } from '#money/ledger/decide.ts'
import type { Line } from '#money/ledger/postings.ts'
import { verifyAnchors } from './anchors.ts'
import type { Break, ReportBreak } from './break.ts'
import { type ChainEnd, verifyChains } from './chains.ts'
import {
  countEntries,
  findOrphans,
  findWrongHoldEnds,
  preferNestedLoops,
  readAccounts,
  readEntries,
  readPostings,
  type StoredPosting,
} from './ledger-store.ts'

/** How much was read, and every check that failed. */
export interface Verdict {
  postings: number
  entries: number
  accounts: number
  anchors: number
  breaks: Break[]
}

// Enough to see the pattern: in a ledger rewritten from end to end every entry fails.
const breaksMax = 100

/** Recomputes every balance and every link of every chain from the entries alone. */
export function verifyLedger(
  db: Db,
  progress: (done: number, total: number) => void = () => {},
): Promise<Verdict> {
  return parallelLongRead(db, async (tx, second) => {
    await preferNestedLoops(second)
    const total = await countEntries(tx)
    const counts = { postings: 0, entries: 0 }
    const count = (what: keyof typeof counts) => (read: number) => {
      counts[what] += read
      progress(counts.entries, Math.max(counts.entries, total))
    }
    const [inPostings, inChains] = [openReport(), openReport()]
    const ends = await bothOf(
      verifyPostings(tx, inPostings.report, count('postings')),
      verifyChains(readEntries(second), inChains.report, count('entries')),
    )
    const { breaks, report } = inChains
    const accounts = await readAccounts(tx)
    for (const account of accounts) verifyAccount(account, ends, report)
    reportMissingAccounts(accounts, ends, report)
    for (const { clientId, id } of await findWrongHoldEnds(second, breaksMax))
      report({
        promise: 'hold',
        clientId,
        where: `posting ${id}`,
        what: 'ends a hold in part or again',
      })
    const anchors = await verifyAnchors(tx, (where, what) =>
      report({ promise: 'anchor', clientId: null, where, what }),
    )
    const all = [...inPostings.breaks, ...breaks].slice(0, breaksMax)
    return { ...counts, accounts: accounts.length, anchors, breaks: all }
  })
}

/** Keeps the first breaks that are reported. */
function openReport(): { breaks: Break[]; report: ReportBreak } {
  const breaks: Break[] = []
  return { breaks, report: (one) => void (breaks.length < breaksMax && breaks.push(one)) }
}

/** What the second one returns. Waits for both also when one fails: each has a connection. */
async function bothOf<T>(one: Promise<void>, other: Promise<T>): Promise<T> {
  await Promise.allSettled([one, other])
  await one
  return other
}

/** Checks that each posting sums to zero in each currency and matches its digest. */
async function verifyPostings(
  tx: Tx,
  report: ReportBreak,
  countRead: (postings: number) => void,
): Promise<void> {
  for await (const postings of readPostings(tx)) {
    for (const posting of postings) verifyPosting(posting, report)
    countRead(postings.length)
  }
  for (const { clientId, id } of await findOrphans(tx, breaksMax))
    report({
      promise: 'balanced',
      clientId,
      where: `posting ${id}`,
      what: 'is gone, but not its lines',
    })
}

function verifyPosting(posting: StoredPosting, report: ReportBreak): void {
  const { clientId, id, lines } = posting
  const isUntouched = digestOf(posting) === posting.digest
  if (isUntouched && isBalanced(lines)) return
  const reportPosting = (promise: Break['promise'], what: string) =>
    report({ promise, clientId, where: `posting ${id} (${posting.kind} ${posting.ref})`, what })
  if (lines.length === 0) reportPosting('balanced', 'has no lines')
  for (const [currency, sum] of sumsOf(lines))
    if (sum !== 0) reportPosting('balanced', `sums to ${sum} ${currency}`)
  if (!isUntouched) reportPosting('untouched', 'its content differs from its digest')
}

/** Whether lines are of one currency and sum to zero; false also for several currencies. */
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

/** By client and account. */
type ChainEnds = Map<string, ChainEnd>

function verifyAccount(account: Account, ends: ChainEnds, report: ReportBreak): void {
  const { clientId, kind, balance, version, head } = account
  const last = ends.get(`${clientId} ${kind}`) ?? { balance: 0, version: 0, hash: genesis }
  const where = `account ${kind}`
  if (balance !== (last.balance ?? balance))
    report({
      promise: 'balance',
      clientId,
      where,
      what: `stores ${balance}, its entries end at ${last.balance}`,
    })
  if (version !== last.version || head !== last.hash)
    report({
      promise: 'balance',
      clientId,
      where,
      what: `stands at version ${version}, its entries at ${last.version}`,
    })
}

function reportMissingAccounts(accounts: Account[], ends: ChainEnds, report: ReportBreak): void {
  const known = new Set(accounts.map(({ clientId, kind }) => `${clientId} ${kind}`))
  for (const key of ends.keys()) {
    const [clientId, kind] = key.split(' ')
    if (!known.has(key))
      report({
        promise: 'balance',
        clientId: Number(clientId),
        where: `account ${kind}`,
        what: 'has entries and no balance',
      })
  }
}
