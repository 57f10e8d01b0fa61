import { digestOf, linkOf } from './chain.ts'
import type { Line, Posting } from './postings.ts'

/** A merchant's account, read while its row is locked. */
export interface Account {
  clientId: number
  kind: string
  balance: number
  version: number
  head: string
}

/** What is stored already about the postings to decide, read after the accounts were locked. */
export interface KnownPostings {
  /** Keys of those that were posted before. */
  postedKeys: Set<string>
  /** The holds that they resolve, by client and id. */
  holds: Map<string, { amount: number; isOpen: boolean }>
}

export interface Entry extends Line {
  before: number | null
  after: number | null
  version: number | null
  hash: string | null
}

/** A posting that was accepted, with its digest and its entries. */
export interface DecidedPosting {
  posting: Posting
  digest: string
  entries: Entry[]
}

/** The same, made at a time of its own. */
export interface DatedPosting extends DecidedPosting {
  at: Date
}

export type PostingRefusal = 'insufficient' | 'done_before' | 'hold_missing' | 'hold_resolved'

/** The result of one posting; `available` is the merchant's balance before and after it. */
export type PostingResult =
  | { isPosted: true; available: { before: number; after: number } }
  | { isPosted: false; because: PostingRefusal }

export interface Decisions {
  /** One for each posting, in their order. */
  results: PostingResult[]
  accepted: DecidedPosting[]
  /** The accounts that moved, as they are after the last posting. */
  movedAccounts: Account[]
}

/** Decides postings one after the other over locked accounts. Does no input or output. */
export function decidePostings(
  locked: Account[],
  known: KnownPostings,
  postings: Posting[],
  now: Date,
): Decisions {
  const accounts = new Map(locked.map((one) => [`${one.clientId} ${one.kind}`, { ...one }]))
  const versions = new Map(locked.map((one) => [`${one.clientId} ${one.kind}`, one.version]))
  const accepted: DecidedPosting[] = []
  const results = postings.map((posting): PostingResult => {
    assertBalanced(posting)
    const available = accountOf(accounts, posting.clientId, 'available')
    const before = available.balance
    const because = refusalOf(posting, accounts, known)
    if (because !== undefined) return { isPosted: false, because }
    accepted.push(makePosting(posting, accounts, known, now))
    return { isPosted: true, available: { before, after: available.balance } }
  })
  const moved = [...accounts].filter(([key, one]) => one.version !== versions.get(key))
  return { results, accepted, movedAccounts: moved.map(([, one]) => one) }
}

/** The key under which a posting happens once; the table has a unique index on it. */
export function postingKey(posting: { clientId: number; kind: string; ref: string }): string {
  return `${posting.clientId} ${posting.kind} ${posting.ref}`
}

function refusalOf(
  posting: Posting,
  accounts: Map<string, Account>,
  known: KnownPostings,
): PostingRefusal | undefined {
  if (known.postedKeys.has(postingKey(posting))) return 'done_before'
  if (posting.resolves !== null) {
    const hold = known.holds.get(`${posting.clientId} ${posting.resolves}`)
    if (hold === undefined) return 'hold_missing'
    if (!hold.isOpen) return 'hold_resolved'
    assertResolvesWhole(posting, hold.amount)
  }
  const isCovered = posting.lines.every(
    (line) =>
      !isMerchantLine(line) ||
      accountOf(accounts, posting.clientId, line.account).balance + line.amount >= 0,
  )
  return isCovered ? undefined : 'insufficient'
}

function makePosting(
  posting: Posting,
  accounts: Map<string, Account>,
  known: KnownPostings,
  now: Date,
): DecidedPosting {
  const digest = digestOf({ ...posting, createdAt: now })
  const entries = posting.lines.map((line): Entry => {
    if (!isMerchantLine(line))
      return { ...line, before: null, after: null, version: null, hash: null }
    const account = accountOf(accounts, posting.clientId, line.account)
    const before = account.balance
    const after = before + line.amount
    const version = account.version + 1
    const hash = linkOf(account.head, digest, { ...line, before, after, version })
    Object.assign(account, { balance: after, version, head: hash })
    return { ...line, before, after, version, hash }
  })
  known.postedKeys.add(postingKey(posting))
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

export function isMerchantLine(line: Line): boolean {
  return line.account === 'available' || line.account === 'held'
}

/** Throws for a posting that no correct code makes: a bug of ours, not a caller's mistake. */
export function assertBalanced(posting: Posting): void {
  const sums = new Map<string, number>()
  const accounts = new Set<string>()
  for (const line of posting.lines) {
    if (!Number.isSafeInteger(line.amount) || line.amount === 0)
      throw new Error(`posting ${posting.id}: ${line.amount} is not a whole amount`)
    if (isMerchantLine(line) && accounts.has(line.account))
      throw new Error(`posting ${posting.id} names "${line.account}" twice`)
    accounts.add(line.account)
    sums.set(line.currency, (sums.get(line.currency) ?? 0) + line.amount)
  }
  if (posting.lines.length < 2 || [...sums.values()].some((sum) => sum !== 0))
    throw new Error(`posting ${posting.id} does not balance`)
}

function assertResolvesWhole(posting: Posting, held: number): void {
  const spent = posting.lines.find((line) => line.account === 'held')?.amount
  if (spent !== -held) throw new Error(`posting ${posting.id} must end the whole hold of ${held}`)
}
