import type { DbParts } from '#data/db/db.ts'
import {
  type Anchor,
  type AnchoredHead,
  auditAccount,
  findAuditHead,
  insertAnchor,
  lockLastAnchor,
  markHeadsAnchored,
} from './anchor-store.ts'
import { anchorOf, genesis } from './chain.ts'

/**
 * Hashes the head of every account that moved since the last anchor, and of the audit log, into the
 * public chain. Returns the new anchor, or undefined when nothing moved. A copy of the anchors kept
 * outside the database proves that no entry before them was changed since.
 */
export function makeAnchor({ db, clock }: DbParts): Promise<Anchor | undefined> {
  return db.transaction(async (tx) => {
    const previous = await lockLastAnchor(tx)
    const moved = await markHeadsAnchored(tx)
    const audit = await findAuditHead(tx)
    if (moved.length === 0 && !isNew(audit, previous)) return undefined
    const heads = audit === undefined ? moved : [...moved, audit]
    const number = (previous?.number ?? 0) + 1
    const createdAt = clock.now()
    const hash = anchorOf(previous?.hash ?? genesis, number, createdAt, heads)
    const anchor = { number, heads, hash, createdAt }
    await insertAnchor(tx, anchor)
    return anchor
  })
}

/** Whether the audit log has grown since the last anchor, which names its head if it had one. */
function isNew(audit: AnchoredHead | undefined, previous: Anchor | undefined): boolean {
  const before = previous?.heads.find(([, account]) => account === auditAccount)
  return audit !== undefined && audit[2] !== before?.[2]
}
