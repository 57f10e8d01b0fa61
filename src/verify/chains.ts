import { genesis, linkOf } from '../ledger/chain.ts'
import type { Break } from './break.ts'
import type { StoredEntry } from './pages.ts'

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

/** Entries of which each follows the one before without fault; the first one still waits. */
interface Stretch {
  first: StoredEntry
  head: Head
}

/** Stretches of an account, by the versions that they begin and end with. */
interface Early {
  byFirst: Map<number, Stretch>
  byLast: Map<number, Stretch>
}

interface Chain extends AccountPlace {
  head: Head
  early: Early
  isDisorderly: boolean
}

/**
 * Checks that versions run 1, 2, 3…, that each entry starts where the last one ended, and that the
 * chain holds. Entries come in the order of their postings' ids, which is nearly that of versions:
 * one that comes early waits, and what follows it is followed from there. So years of entries can
 * wait for one, and take no more room than it; not more than `waitingMax` stretches do.
 */
export function openChains(found: (one: Break) => void, waitingMax = 100_000): Chains {
  // By client and then by account: no key has to be made for an entry.
  const chains = new Map<number, Map<string, Chain>>()
  let count = 0

  function chainOf({ clientId, account }: StoredEntry): Chain {
    const known = chains.get(clientId)?.get(account)
    if (known !== undefined) return known
    const chain = { clientId, account, ...beginning() }
    chains.set(clientId, (chains.get(clientId) ?? new Map()).set(account, chain))
    return chain
  }

  const all = () => [...chains.values()].flatMap((accounts) => [...accounts.values()])

  function take(entry: StoredEntry): void {
    const chain = chainOf(entry)
    if (chain.isDisorderly) return
    if (entry.version !== chain.head.version + 1) return wait(chain, entry)
    chain.head = followEntry(entry, chain.head, found)
    if (chain.early.byFirst.size > 0) goOn(chain)
  }

  /** Follows the stretches that were waiting for a chain to come to where it is. */
  function goOn(chain: Chain): void {
    const { byFirst, byLast } = chain.early
    for (;;) {
      const stretch = byFirst.get(chain.head.version + 1)
      if (stretch === undefined) return
      byFirst.delete(stretch.first.version)
      byLast.delete(stretch.head.version)
      count -= 1
      chain.head = followStretch(stretch, chain.head, found)
    }
  }

  function wait(chain: Chain, entry: StoredEntry): void {
    const { early } = chain
    if (early.byFirst.has(entry.version)) return tell(entry, 'continuous', 'comes twice', found)
    count += addEarly(early, entry)
    if (count <= waitingMax) return
    count -= early.byFirst.size
    Object.assign(chain, beginning(), { isDisorderly: true })
  }

  return {
    take,
    disorderly: () => {
      const places = all().filter(({ isDisorderly }) => isDisorderly)
      for (const chain of places) chain.isDisorderly = false
      return places.map(({ clientId, account }) => ({ clientId, account }))
    },
    end: () => {
      for (const chain of all()) {
        const stretches = [...chain.early.byFirst.values()]
        for (const one of stretches.sort((a, b) => a.first.version - b.first.version))
          chain.head = followStretch(one, chain.head, found)
      }
      return new Map(all().map(({ clientId, account, head }) => [`${clientId} ${account}`, head]))
    },
  }
}

function beginning(): { head: Head; early: Early; isDisorderly: boolean } {
  const head = { balance: 0, version: 0, head: genesis }
  return { head, early: { byFirst: new Map(), byLast: new Map() }, isDisorderly: false }
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
  // The same text as the stored one, which is a part of its page and would keep that in memory.
  if (link === entry.hash) return { balance: after, version, head: link }
  tell(entry, 'untouched', 'its hash does not follow the chain', found)
  // Continue from what is stored, so that one change is reported once and not for all that follow.
  return { balance: null, version, head: entry.hash }
}

function tell(
  { clientId, account, version, postingId }: StoredEntry,
  promise: Break['promise'],
  what: string,
  found: (one: Break) => void,
): void {
  found({ promise, clientId, where: `${account} version ${version} (posting ${postingId})`, what })
}
