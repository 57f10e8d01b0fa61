import type { Break } from './break.ts'
import { genesis, linkOf } from './chain.ts'
import type { StoredEntry } from './verify-pages.ts'

/** Where an account's chain has come to. */
export interface Head {
  /** Null: the entry was changed, so what it says is no measure for what follows. */
  balance: number | null
  version: number
  head: string
}

interface AccountPlace {
  clientId: number
  account: string
}

export interface Chains {
  /** Follows an entry as soon as all before it have come. */
  take(entry: StoredEntry): void
  /** Accounts of which too much came too early: to be followed again, in the order of versions. */
  disorderly(): AccountPlace[]
  /** Follows whatever never got its turn; where each account has come to, by client and account. */
  end(): Map<string, Head>
}

const start: Head = { balance: 0, version: 0, head: genesis }

/** Entries of which each follows the one before without fault; the first one still waits. */
interface Stretch {
  first: StoredEntry
  head: Head
}

/** An account's stretches, by the versions that they begin and end with. */
interface Early {
  byFirst: Map<number, Stretch>
  byLast: Map<number, Stretch>
}

/**
 * Checks that versions run 1, 2, 3…, that each entry starts where the last one ended, and that the
 * chain holds. Entries come in the order of their postings' ids, which is nearly that of versions:
 * one that comes early waits, and what follows it is followed from there. So years of entries can
 * wait for one, and take no more room than it; not more than `waitingMax` stretches do.
 */
export function openChains(found: (one: Break) => void, waitingMax = 100_000): Chains {
  const heads = new Map<string, Head>()
  const waiting = new Map<string, Early>()
  const disorderly = new Map<string, AccountPlace>()
  let count = 0

  function take(entry: StoredEntry): void {
    const key = `${entry.clientId} ${entry.account}`
    if (disorderly.has(key)) return
    const head = heads.get(key) ?? start
    if (entry.version === head.version + 1)
      heads.set(key, goOn(key, followEntry(entry, head, found)))
    else wait(key, entry)
  }

  /** Follows the stretches that were waiting for a chain to come to where it is. */
  function goOn(key: string, from: Head): Head {
    const early = waiting.get(key)
    let head = from
    for (;;) {
      const stretch = early?.byFirst.get(head.version + 1)
      if (early === undefined || stretch === undefined) return head
      early.byFirst.delete(stretch.first.version)
      early.byLast.delete(stretch.head.version)
      count -= 1
      head = followStretch(stretch, head, found)
    }
  }

  function wait(key: string, entry: StoredEntry): void {
    const { clientId, account, version } = entry
    const early = waiting.get(key) ?? { byFirst: new Map(), byLast: new Map() }
    waiting.set(key, early)
    if (early.byFirst.has(version)) return tell(entry, 'continuous', 'comes twice', found)
    count += addEarly(early, entry)
    if (count <= waitingMax) return
    disorderly.set(key, { clientId, account })
    count -= early.byFirst.size
    waiting.delete(key)
    heads.delete(key)
  }

  return {
    take,
    disorderly: () => {
      const places = [...disorderly.values()]
      disorderly.clear()
      return places
    },
    end: () => {
      for (const [key, { byFirst }] of waiting)
        for (const stretch of [...byFirst.values()].sort(
          (a, b) => a.first.version - b.first.version,
        ))
          heads.set(key, followStretch(stretch, heads.get(key) ?? start, found))
      waiting.clear()
      return heads
    },
  }
}

/** Adds an entry to the stretches that it joins; tells how many more of them there are then. */
function addEarly({ byFirst, byLast }: Early, entry: StoredEntry): number {
  const { version, after, hash } = entry
  const head = { balance: after, version, head: hash }
  const before = byLast.get(version - 1)
  const joinsBefore = before !== undefined && follows(entry, before.head)
  const stretch = joinsBefore ? before : { first: entry, head }
  if (joinsBefore) byLast.delete(version - 1)
  else byFirst.set(version, stretch)
  stretch.head = head
  const next = byFirst.get(version + 1)
  const joinsNext = next !== undefined && follows(next.first, head)
  if (joinsNext) {
    byFirst.delete(version + 1)
    stretch.head = next.head
  }
  byLast.set(stretch.head.version, stretch)
  return (joinsBefore ? 0 : 1) - (joinsNext ? 1 : 0)
}

/** Whether there is nothing to tell of an entry; whatever there is, is told when its turn comes. */
function follows(entry: StoredEntry, head: Head): boolean {
  let isFaultless = true
  followEntry(entry, head, () => void (isFaultless = false))
  return isFaultless
}

function followStretch(stretch: Stretch, from: Head, found: (one: Break) => void): Head {
  const { first, head } = stretch
  const followed = followEntry(first, from, found)
  return first.version === head.version ? followed : head
}

function followEntry(entry: StoredEntry, head: Head, found: (one: Break) => void): Head {
  const { version, before, amount, after, digest } = entry
  if (version !== head.version + 1)
    tell(entry, 'continuous', `follows version ${head.version}`, found)
  if (before !== (head.balance ?? before) || after !== before + amount || after < 0)
    tell(
      entry,
      'continuous',
      `goes from ${before} by ${amount} to ${after} after a balance of ${head.balance}`,
      found,
    )
  const link = linkOf(head.head, digest, entry)
  if (link !== entry.hash) tell(entry, 'untouched', 'its hash does not follow the chain', found)
  // Continue from what is stored, so that one change is reported once and not for all that follow.
  return { balance: link === entry.hash ? after : null, version, head: entry.hash }
}

function tell(
  { clientId, account, version, postingId }: StoredEntry,
  promise: Break['promise'],
  what: string,
  found: (one: Break) => void,
): void {
  found({ promise, clientId, where: `${account} version ${version} (posting ${postingId})`, what })
}
