import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Anchor } from './anchor-store.ts'
import { insertAnchor, lastAnchor, takeMovedHeads } from './anchor-store.ts'
import { anchorOf, genesis } from './chain.ts'

/**
 * Hashes the head of every account that moved since the last anchor into the public chain, and
 * returns the new link, or undefined when nothing moved. Whoever keeps the links elsewhere can show
 * that no entry before them was changed since.
 */
export function makeAnchor(db: Db, clock: Clock): Promise<Anchor | undefined> {
  return db.transaction(async (tx) => {
    const previous = await lastAnchor(tx)
    const heads = await takeMovedHeads(tx)
    if (heads.length === 0) return undefined
    const number = (previous?.number ?? 0) + 1
    const createdAt = clock.now()
    const hash = anchorOf(previous?.hash ?? genesis, number, createdAt, heads)
    const anchor = { number, heads, hash, createdAt }
    await insertAnchor(tx, anchor)
    return anchor
  })
}
