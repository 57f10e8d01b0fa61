import type { Tx } from '../db/db.ts'
import type { Line } from '../ledger/postings.ts'
import type { PostingPlace } from './ledger-store.ts'
import { readCrookedHolds } from './ledger-store.ts'
import type { StoredPosting } from './pages.ts'

export interface Holds {
  /** Remembers a hold, or compares what ends one with it. */
  take(posting: StoredPosting): void
  /** What of all that came ends a hold by something else than the whole of it, or once more. */
  crooked(): Promise<PostingPlace[]>
}

/**
 * Checks that a hold ends once and as a whole. Nearly always it came before what ends it: then no
 * look into the database is needed. Not more than `openMax` holds are remembered; whatever ends
 * one that is not is looked up, and so is whatever does not end it as it should.
 */
export function openHolds(tx: Tx, openMax = 100_000): Holds {
  const open = new Map<string, number>()
  // What is unclear may end a hold that comes only after it, and then is not open any more.
  const ended = new Set<string>()
  let roomFor = openMax
  const found: Promise<PostingPlace[]>[] = []
  let unclear: PostingPlace[] = []

  function lookUp(): void {
    const looking = readCrookedHolds(tx, unclear)
    // Whoever waits for it hears of a failure; nobody else has to.
    looking.catch(() => {})
    found.push(looking)
    unclear = []
  }

  function doubt(place: PostingPlace, key: string): void {
    unclear.push(place)
    if (unclear.length === unclearMax) lookUp()
    if (roomFor === 0) return
    ended.add(key)
    if (ended.size < openMax) return
    // Too much to remember: from here on everything that ends a hold is looked up.
    roomFor = 0
    open.clear()
    ended.clear()
  }

  return {
    take: ({ clientId, id, kind, resolves, lines }) => {
      const held = kind === 'hold' || resolves !== null ? heldBy(lines) : undefined
      const own = `${clientId} ${id}`
      if (kind === 'hold' && held !== undefined && open.size < roomFor && !ended.has(own))
        open.set(own, held)
      if (resolves === null) return
      const key = `${clientId} ${resolves}`
      if (held === undefined || open.get(key) !== -held) doubt({ clientId, id }, key)
      open.delete(key)
    },
    crooked: async () => {
      if (unclear.length > 0) lookUp()
      return (await Promise.all(found)).flat()
    },
  }
}

const unclearMax = 1000

/** What a posting adds to what is held, if one line of it does. */
function heldBy(lines: Line[]): number | undefined {
  const held = lines.filter(({ account }) => account === 'held')
  return held.length === 1 ? held[0]?.amount : undefined
}
