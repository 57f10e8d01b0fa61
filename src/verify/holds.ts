import type { Tx } from '../db/db.ts'
import type { Line } from '../ledger/postings.ts'
import { findWrongHoldEnds } from './ledger-store.ts'
import type { StoredPosting } from './pages.ts'
import type { PostingKey } from './pages-store.ts'

export interface HoldCheck {
  /** Remembers a hold, or compares a posting that ends one with it. */
  add(posting: StoredPosting): void
  /** The postings that end a hold in part or a second time. */
  findWrongEnds(): Promise<PostingKey[]>
}

/**
 * Checks that each hold ends once and as a whole. A hold is nearly always read before the posting
 * that ends it, and both are compared in memory. Postings that do not match a remembered hold are
 * looked up in the database, many in one statement. At most `rememberedMax` holds are remembered.
 */
export function openHoldCheck(tx: Tx, rememberedMax = 100_000): HoldCheck {
  /** The amounts of holds that no posting has ended yet. */
  const open = new Map<string, number>()
  // Holds that doubtful postings end. When such a hold is read later, it is not opened again.
  const endedByDoubtful = new Set<string>()
  let openMax = rememberedMax
  const lookups: Promise<PostingKey[]>[] = []
  let doubtful: PostingKey[] = []

  function remember(holdKey: string, amount: number): void {
    if (open.size < openMax && !endedByDoubtful.has(holdKey)) open.set(holdKey, amount)
  }

  function lookUp(): void {
    const lookup = findWrongHoldEnds(tx, doubtful)
    // `findWrongEnds` handles the rejection; this only prevents an unhandledRejection.
    lookup.catch(() => {})
    lookups.push(lookup)
    doubtful = []
  }

  function addDoubtful(posting: PostingKey, holdKey: string): void {
    doubtful.push(posting)
    if (doubtful.length === lookupLength) lookUp()
    if (openMax === 0) return
    endedByDoubtful.add(holdKey)
    if (endedByDoubtful.size < rememberedMax) return
    // Too many to remember: from here on every posting that ends a hold is looked up.
    openMax = 0
    open.clear()
    endedByDoubtful.clear()
  }

  return {
    add: ({ clientId, id, kind, resolves, lines }) => {
      const held = kind === 'hold' || resolves !== null ? heldAmount(lines) : undefined
      if (kind === 'hold' && held !== undefined) remember(`${clientId} ${id}`, held)
      if (resolves === null) return
      const holdKey = `${clientId} ${resolves}`
      if (held === undefined || open.get(holdKey) !== -held) addDoubtful({ clientId, id }, holdKey)
      open.delete(holdKey)
    },
    findWrongEnds: async () => {
      if (doubtful.length > 0) lookUp()
      return (await Promise.all(lookups)).flat()
    },
  }
}

const lookupLength = 1000

/** The amount that a posting adds to the held account; undefined unless exactly one line does. */
function heldAmount(lines: Line[]): number | undefined {
  const held = lines.filter(({ account }) => account === 'held')
  return held.length === 1 ? held[0]?.amount : undefined
}
