import { newId } from '#base/kit/ids.ts'
import type { Tx } from '#data/db/db.ts'
import { digestOf } from './chain.ts'
import { assertBalanced, isMerchantLine } from './decide.ts'
import type { OwnPosting, Posting } from './postings.ts'
import { findPosted, writePostings } from './store.ts'

/** Postings of the gateway itself belong to no merchant. */
export const ownClientId = 0

/**
 * Makes a posting that moves no merchant's money, once for each kind and reference; false: it was
 * made before. System accounts are only appended to, so nothing is locked: of two callers at once
 * the unique index refuses the second.
 */
export async function postOwn(tx: Tx, own: OwnPosting, now: Date): Promise<boolean> {
  if (own.lines.length === 0) return false
  const posting: Posting = { ...own, clientId: ownClientId, id: newId(now), resolves: null }
  assertBalanced(posting)
  if (posting.lines.some(isMerchantLine))
    throw new Error(`posting ${posting.id} belongs to no merchant and moves a merchant's money`)
  if ((await findPosted(tx, [posting])).length > 0) return false
  const digest = digestOf({ ...posting, createdAt: now })
  const entries = posting.lines.map((line) => ({
    ...line,
    before: null,
    after: null,
    version: null,
    hash: null,
  }))
  await writePostings(tx, [{ posting, digest, entries }], [], now)
  return true
}
