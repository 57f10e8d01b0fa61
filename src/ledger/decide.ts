import { digestOf, linkOf } from './chain.ts'
import type { Line, Posting } from './postings.ts'

/** A merchant account as it stands under its lock. */
export interface Account {
  clientId: number
  kind: string
  balance: number
  version: number
  head: string
}

/**
 * What the ledger already knows about the postings at hand, read after the accounts were locked.
 */
export interface Known {
  /** Keys of postings made before. */
  done: Set<string>
  /** Holds that the postings mean to end: what they hold, and whether they are still open. */
  holds: Map<string, { amount: number; isOpen: boolean }>
}

export interface Entry extends Line {
  before: number | null
  after: number | null
  version: number | null
  hash: string | null
}

export interface Decided {
  posting: Posting
  digest: string
  entries: Entry[]
}

export type RefusedPosting = 'insufficient' | 'done_before' | 'hold_missing' | 'hold_resolved'

/** What became of one posting; `available` is what the merchant could spend before and after it. */
export type Posted =
  | { isPosted: true; available: { before: number; after: number } }
  | { isPosted: false; because: RefusedPosting }

export interface Decisions {
  answers: Posted[]
  made: Decided[]
  /** The accounts that moved, as they stand after the last posting. */
  moved: Account[]
}

/** Decides postings one after the other over locked accounts: no input or output, only rules. */
export function decidePostings(
  locked: Account[],
  known: Known,
  postings: Posting[],
  now: Date,
): Decisions {
  const accounts = new Map(locked.map((one) => [`${one.clientId} ${one.kind}`, { ...one }]))
  const versions = new Map(locked.map((one) => [`${one.clientId} ${one.kind}`, one.version]))
  const made: Decided[] = []
  const answers = postings.map((posting): Posted => {
    assertBalanced(posting)
    const available = accountOf(accounts, posting.clientId, 'available')
    const before = available.balance
    const because = refusalOf(posting, accounts, known)
    if (because !== undefined) return { isPosted: false, because }
    made.push(makePosting(posting, accounts, known, now))
    return { isPosted: true, available: { before, after: available.balance } }
  })
  const moved = [...accounts].filter(([key, one]) => one.version !== versions.get(key))
  return { answers, made, moved: moved.map(([, one]) => one) }
}

/** The name under which a posting happens once. */
export function keyOf(posting: { clientId: number; kind: string; ref: string }): string {
  return `${posting.clientId} ${posting.kind} ${posting.ref}`
}

function refusalOf(
  posting: Posting,
  accounts: Map<string, Account>,
  known: Known,
): RefusedPosting | undefined {
  if (known.done.has(keyOf(posting))) return 'done_before'
  if (posting.resolves !== null) {
    const hold = known.holds.get(`${posting.clientId} ${posting.resolves}`)
    if (hold === undefined) return 'hold_missing'
    if (!hold.isOpen) return 'hold_resolved'
    assertResolvesWhole(posting, hold.amount)
  }
  const isCovered = posting.lines.every(
    (line) =>
      !isMerchants(line) ||
      accountOf(accounts, posting.clientId, line.account).balance + line.amount >= 0,
  )
  return isCovered ? undefined : 'insufficient'
}

function makePosting(
  posting: Posting,
  accounts: Map<string, Account>,
  known: Known,
  now: Date,
): Decided {
  const digest = digestOf({ ...posting, createdAt: now })
  const entries = posting.lines.map((line): Entry => {
    if (!isMerchants(line)) return { ...line, before: null, after: null, version: null, hash: null }
    const account = accountOf(accounts, posting.clientId, line.account)
    const before = account.balance
    const after = before + line.amount
    const version = account.version + 1
    const hash = linkOf(account.head, digest, { ...line, before, after, version })
    Object.assign(account, { balance: after, version, head: hash })
    return { ...line, before, after, version, hash }
  })
  known.done.add(keyOf(posting))
  if (posting.kind === 'hold') {
    const amount = posting.lines.find((line) => line.account === 'held')?.amount ?? 0
    known.holds.set(`${posting.clientId} ${posting.id}`, { amount, isOpen: true })
  }
  if (posting.resolves !== null) {
    const hold = known.holds.get(`${posting.clientId} ${posting.resolves}`)
    if (hold !== undefined) hold.isOpen = false
  }
  return { posting, digest, entries }
}

function accountOf(accounts: Map<string, Account>, clientId: number, kind: string): Account {
  const account = accounts.get(`${clientId} ${kind}`)
  if (account === undefined) throw new Error(`client ${clientId} has no account "${kind}"`)
  return account
}

function isMerchants(line: Line): boolean {
  return line.account === 'available' || line.account === 'held'
}

/** A posting that breaks these is a bug of ours, never a caller's mistake. */
function assertBalanced(posting: Posting): void {
  const sums = new Map<string, number>()
  const merchants = new Set<string>()
  for (const line of posting.lines) {
    if (!Number.isSafeInteger(line.amount) || line.amount === 0)
      throw new Error(`posting ${posting.id}: ${line.amount} is not a whole amount`)
    if (isMerchants(line) && merchants.has(line.account))
      throw new Error(`posting ${posting.id} names "${line.account}" twice`)
    merchants.add(line.account)
    sums.set(line.currency, (sums.get(line.currency) ?? 0) + line.amount)
  }
  if (posting.lines.length < 2 || [...sums.values()].some((sum) => sum !== 0))
    throw new Error(`posting ${posting.id} does not balance`)
}

function assertResolvesWhole(posting: Posting, held: number): void {
  const spent = posting.lines.find((line) => line.account === 'held')?.amount
  if (spent !== -held) throw new Error(`posting ${posting.id} must end the whole hold of ${held}`)
}
