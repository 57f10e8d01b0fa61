import type { Tx } from '../db/db.ts'
import { newId } from '../kit/ids.ts'
import { digestOf } from './chain.ts'
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
  assertOwn(posting)
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

/** Throws for a posting that no correct code makes. */
function assertOwn({ id, lines }: Posting): void {
  const sums = new Map<string, number>()
  for (const { account, currency, amount } of lines) {
    if (account === 'available' || account === 'held')
      throw new Error(`posting ${id} is of no merchant and names "${account}"`)
    if (!Number.isSafeInteger(amount)) throw new Error(`posting ${id}: ${amount} is not whole`)
    sums.set(currency, (sums.get(currency) ?? 0) + amount)
  }
  if ([...sums.values()].some((sum) => sum !== 0)) throw new Error(`posting ${id} does not balance`)
}
