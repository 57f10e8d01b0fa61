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

/**
 * Checks that versions run 1, 2, 3…, that each entry starts where the last one ended, and that the
 * chain holds. Entries come in the order of their postings' ids, which is nearly that of versions:
 * one that comes early waits, and not more than `waitingMax` of them do.
 */
export function openChains(found: (one: Break) => void, waitingMax = 100_000): Chains {
  const heads = new Map<string, Head>()
  const waiting = new Map<string, Map<number, StoredEntry>>()
  const disorderly = new Map<string, AccountPlace>()
  let count = 0

  function take(entry: StoredEntry): void {
    const key = `${entry.clientId} ${entry.account}`
    if (disorderly.has(key)) return
    if (entry.version === (heads.get(key) ?? start).version + 1) {
      heads.set(key, followEntry(entry, heads.get(key) ?? start, found))
      const early = waiting.get(key)
      if (early !== undefined) takeEarly(key, early)
    } else wait(key, entry)
  }

  function takeEarly(key: string, early: Map<number, StoredEntry>): void {
    for (;;) {
      const head = heads.get(key) ?? start
      const next = early.get(head.version + 1)
      if (next === undefined) return
      heads.set(key, followEntry(next, head, found))
      early.delete(next.version)
      count -= 1
    }
  }

  function wait(key: string, entry: StoredEntry): void {
    const early = waiting.get(key) ?? new Map<number, StoredEntry>()
    waiting.set(key, early.set(entry.version, entry))
    count += 1
    if (count <= waitingMax) return
    const { clientId, account } = entry
    disorderly.set(key, { clientId, account })
    count -= early.size
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
      for (const [key, early] of waiting)
        for (const entry of [...early.values()].sort((a, b) => a.version - b.version))
          heads.set(key, followEntry(entry, heads.get(key) ?? start, found))
      waiting.clear()
      return heads
    },
  }
}

function followEntry(entry: StoredEntry, head: Head, found: (one: Break) => void): Head {
  const { clientId, account, version, before, amount, after, digest } = entry
  const tell = (promise: Break['promise'], what: string) => {
    const where = `${account} version ${version} (posting ${entry.postingId})`
    found({ promise, clientId, where, what })
  }
  if (version !== head.version + 1) tell('continuous', `follows version ${head.version}`)
  if (before !== (head.balance ?? before) || after !== before + amount || after < 0)
    tell(
      'continuous',
      `goes from ${before} by ${amount} to ${after} after a balance of ${head.balance}`,
    )
  const link = linkOf(head.head, digest, entry)
  if (link !== entry.hash) tell('untouched', 'its hash does not follow the chain')
  // Continue from what is stored, so that one change is reported once and not for all that follow.
  return { balance: link === entry.hash ? after : null, version, head: entry.hash }
}
