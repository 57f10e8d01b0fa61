import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Anchor } from './anchor-store.ts'
import { insertAnchor, lockLastAnchor, markHeadsAnchored } from './anchor-store.ts'
import { anchorOf, genesis } from './chain.ts'

/**
 * Hashes the head of every account that moved since the last anchor into the public chain, and
 * returns the new anchor, or undefined when nothing moved. A copy of the anchors kept outside the
 * database proves that no entry before them was changed since.
 */
export function makeAnchor(db: Db, clock: Clock): Promise<Anchor | undefined> {
  return db.transaction(async (tx) => {
    const previous = await lockLastAnchor(tx)
    const heads = await markHeadsAnchored(tx)
    if (heads.length === 0) return undefined
    const number = (previous?.number ?? 0) + 1
    const createdAt = clock.now()
    const hash = anchorOf(previous?.hash ?? genesis, number, createdAt, heads)
    const anchor = { number, heads, hash, createdAt }
    await insertAnchor(tx, anchor)
    return anchor
  })
}
