import type { Tx } from '#data/db/db.ts'
import { type DatedPosting, decidePostings, type PostingResult } from './decide.ts'
import type { Posting } from './postings.ts'
import { findKnown, lockAccounts, writeDatedPostings, writePostings } from './store.ts'

/**
 * Makes postings in the order given and returns the result of each. It locks the merchants'
 * accounts, reads what is known of the postings and decides over what it read, so that two
 * decisions never use the same balance. Accounts are locked in id order, so that two callers never
 * deadlock.
 *
 * Postings that the caller knows to be new (`isNew`: the reference was just generated, or belongs
 * to a status that moves only once) are not looked up. If one was posted before after all, the
 * unique index refuses it and the caller's transaction fails.
 */
export async function post(
  tx: Tx,
  postings: Posting[],
  now: Date,
  isNew: (posting: Posting) => boolean = () => false,
): Promise<PostingResult[]> {
  const { results, written } = await postPipelined(tx, postings, now, isNew)
  await written
  return results
}

/**
 * The same, but returns the results once they are decided, while the write is still on its way.
 * The caller sends its own statements in the same round trip, and then awaits `written`.
 */
export async function postPipelined(
  tx: Tx,
  postings: Posting[],
  now: Date,
  isNew: (posting: Posting) => boolean,
): Promise<{ results: PostingResult[]; written: Promise<void> }> {
  if (postings.length === 0) return { results: [], written: Promise.resolve() }
  const clientIds = postings.map((posting) => posting.clientId)
  // One round trip. The server runs the second statement after the first: it reads under the locks.
  const [accounts, known] = await Promise.all([
    lockAccounts(tx, clientIds),
    findKnown(tx, postings, isNew),
  ])
  const { results, accepted, movedAccounts } = decidePostings(accounts, known, postings, now)
  const written =
    accepted.length > 0 ? writePostings(tx, accepted, movedAccounts, now) : Promise.resolve()
  // The caller handles the rejection when it awaits; this only prevents an unhandledRejection.
  written.catch(() => {})
  return { results, written }
}

/**
 * Makes postings of the past, each with a time of its own, in the order given: for a history that
 * is written at once. Throws unless all of them can be made.
 */
export async function postDated(
  tx: Tx,
  dated: { posting: Posting; at: Date }[],
): Promise<{ before: number; after: number }[]> {
  const postings = dated.map(({ posting }) => posting)
  const locked = await lockAccounts(
    tx,
    postings.map(({ clientId }) => clientId),
  )
  const known = await findKnown(tx, postings, () => false)
  const accounts = new Map(locked.map((one) => [`${one.clientId} ${one.kind}`, one]))
  const written: DatedPosting[] = []
  const balances = dated.map(({ posting, at }) => {
    const decided = decidePostings([...accounts.values()], known, [posting], at)
    const [result] = decided.results
    if (!result?.isPosted) throw new Error(`posting ${posting.id} of the past: ${result?.because}`)
    for (const one of decided.movedAccounts) accounts.set(`${one.clientId} ${one.kind}`, one)
    written.push(...decided.accepted.map((one) => ({ ...one, at })))
    return result.available
  })
  await writeDatedPostings(tx, written, [...accounts.values()])
  return balances
}
