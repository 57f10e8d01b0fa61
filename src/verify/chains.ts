import { genesis, linkOf } from '../ledger/chain.ts'
import type { Break, ReportBreak } from './break.ts'
import type { StoredEntry } from './pages.ts'

/** An account's chain up to some entry. */
export interface ChainEnd {
  /** Null when that entry's hash is wrong: the balance of the next one is then not compared. */
  balance: number | null
  version: number
  hash: string
}

interface AccountKey {
  clientId: number
  account: string
}

export interface ChainCheck {
  /** Checks an entry, at once if all entries before it were added, else when they are. */
  add(entry: StoredEntry): void
  /**
   * Starts the accounts again that had too many early entries to keep, and returns them. All their
   * entries have to be added once more, in the order of versions.
   */
  restartOverflowed(): AccountKey[]
  /** Checks early entries whose predecessor is missing; the ends by client and account. */
  finish(): Map<string, ChainEnd>
}

/** Early entries that follow each other without a fault. Only the first is kept, and the end. */
interface Segment {
  first: StoredEntry
  end: ChainEnd
}

/** The segments of an account, by the versions that they begin and end with. */
interface Segments {
  byFirst: Map<number, Segment>
  byLast: Map<number, Segment>
}

interface Chain extends AccountKey {
  end: ChainEnd
  early: Segments
  isOverflowed: boolean
}

/**
 * Checks that versions run 1, 2, 3…, that each entry starts with the balance that the last one
 * ended with, and that the hashes are linked. Entries arrive in the order of their postings' ids,
 * which is nearly the order of versions. Early ones are joined into segments, so that years of
 * entries behind a late one take the memory of one entry. At most `segmentsMax` segments are kept.
 */
export function openChainCheck(report: ReportBreak, segmentsMax = 100_000): ChainCheck {
  // By client and then by account: faster than building a key for each entry.
  const chains = new Map<number, Map<string, Chain>>()
  let segmentCount = 0

  function chainOf({ clientId, account }: StoredEntry): Chain {
    const known = chains.get(clientId)?.get(account)
    if (known !== undefined) return known
    const chain = { clientId, account, ...emptyChain() }
    chains.set(clientId, (chains.get(clientId) ?? new Map()).set(account, chain))
    return chain
  }

  const all = () => [...chains.values()].flatMap((accounts) => [...accounts.values()])

  function add(entry: StoredEntry): void {
    const chain = chainOf(entry)
    if (chain.isOverflowed) return
    if (entry.version !== chain.end.version + 1) return keepEarly(chain, entry)
    chain.end = checkEntry(entry, chain.end, report)
    if (chain.early.byFirst.size > 0) appendSegments(chain)
  }

  /** Appends the early segments that the chain has reached. */
  function appendSegments(chain: Chain): void {
    const { byFirst, byLast } = chain.early
    for (;;) {
      const segment = byFirst.get(chain.end.version + 1)
      if (segment === undefined) return
      byFirst.delete(segment.first.version)
      byLast.delete(segment.end.version)
      segmentCount -= 1
      chain.end = checkSegment(segment, chain.end, report)
    }
  }

  function keepEarly(chain: Chain, entry: StoredEntry): void {
    const { early } = chain
    if (early.byFirst.has(entry.version))
      return reportEntry(entry, 'continuous', 'comes twice', report)
    segmentCount += addEarly(early, entry)
    if (segmentCount <= segmentsMax) return
    segmentCount -= early.byFirst.size
    Object.assign(chain, emptyChain(), { isOverflowed: true })
  }

  return {
    add,
    restartOverflowed: () => {
      const overflowed = all().filter(({ isOverflowed }) => isOverflowed)
      for (const chain of overflowed) chain.isOverflowed = false
      return overflowed.map(({ clientId, account }) => ({ clientId, account }))
    },
    finish: () => {
      for (const chain of all()) {
        const segments = [...chain.early.byFirst.values()]
        for (const one of segments.sort((a, b) => a.first.version - b.first.version))
          chain.end = checkSegment(one, chain.end, report)
      }
      return new Map(all().map(({ clientId, account, end }) => [`${clientId} ${account}`, end]))
    },
  }
}

function emptyChain(): { end: ChainEnd; early: Segments; isOverflowed: boolean } {
  const end = { balance: 0, version: 0, hash: genesis }
  return { end, early: { byFirst: new Map(), byLast: new Map() }, isOverflowed: false }
}

/** Adds an entry and joins it to its neighbours; returns by how many segments the count grew. */
function addEarly({ byFirst, byLast }: Segments, entry: StoredEntry): number {
  const { version, after, hash } = entry
  const end = { balance: after, version, hash }
  const before = byLast.get(version - 1)
  const joinsBefore = before !== undefined && isFaultless(entry, before.end)
  const segment = joinsBefore ? before : { first: entry, end }
  if (joinsBefore) byLast.delete(version - 1)
  else byFirst.set(version, segment)
  segment.end = end
  const next = byFirst.get(version + 1)
  const joinsNext = next !== undefined && isFaultless(next.first, end)
  if (joinsNext) {
    byFirst.delete(version + 1)
    segment.end = next.end
  }
  byLast.set(segment.end.version, segment)
  return (joinsBefore ? 0 : 1) - (joinsNext ? 1 : 0)
}

/** Whether an entry follows without a fault. Faults are reported later, in order of versions. */
function isFaultless(entry: StoredEntry, last: ChainEnd): boolean {
  let hasFault = false
  checkEntry(entry, last, () => void (hasFault = true))
  return !hasFault
}

function checkSegment(segment: Segment, last: ChainEnd, report: ReportBreak): ChainEnd {
  const { first, end } = segment
  const afterFirst = checkEntry(first, last, report)
  return first.version === end.version ? afterFirst : end
}

function checkEntry(entry: StoredEntry, last: ChainEnd, report: ReportBreak): ChainEnd {
  const { version, before, amount, after, digest } = entry
  if (version !== last.version + 1)
    reportEntry(entry, 'continuous', `follows version ${last.version}`, report)
  if (before !== (last.balance ?? before) || after !== before + amount || after < 0)
    reportEntry(
      entry,
      'continuous',
      `goes from ${before} by ${amount} to ${after} after a balance of ${last.balance}`,
      report,
    )
  const link = linkOf(last.hash, digest, entry)
  // Not `entry.hash`: that is a slice of its page's text, and would keep the page in memory.
  if (link === entry.hash) return { balance: after, version, hash: link }
  reportEntry(entry, 'untouched', 'its hash does not follow the chain', report)
  // Continues from the stored hash: one change is reported once, not for all entries that follow.
  return { balance: null, version, hash: entry.hash }
}

function reportEntry(
  { clientId, account, version, postingId }: StoredEntry,
  promise: Break['promise'],
  what: string,
  report: ReportBreak,
): void {
  report({ promise, clientId, where: `${account} version ${version} (posting ${postingId})`, what })
}
