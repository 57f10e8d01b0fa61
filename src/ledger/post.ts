import type { Tx } from '../db/db.ts'
import type { Posted } from './decide.ts'
import { decidePostings } from './decide.ts'
import type { Posting } from './postings.ts'
import { findKnown, lockAccounts, writePostings } from './store.ts'

/**
 * Makes postings in the order given and says for each what became of it. Each merchant's accounts
 * are locked once, in id order, then read, then decided upon: no balance is ever seen twice by two
 * decisions, and no two callers wait for each other in a circle. What the caller knows to be new
 * (its reference was just made up, or the status that it belongs to moves only once) is not looked
 * for; should it not be, the unique index refuses it, and with it all that is written beside it.
 */
export async function post(
  tx: Tx,
  postings: Posting[],
  now: Date,
  isNew: (posting: Posting) => boolean = () => false,
): Promise<Posted[]> {
  const { answers, written } = await postAhead(tx, postings, now, isNew)
  await written
  return answers
}

/**
 * The same, but says what becomes of each as soon as it is decided: who waits for `written` can
 * send what else it has to write in the same breath.
 */
export async function postAhead(
  tx: Tx,
  postings: Posting[],
  now: Date,
  isNew: (posting: Posting) => boolean = () => false,
): Promise<{ answers: Posted[]; written: Promise<void> }> {
  if (postings.length === 0) return { answers: [], written: Promise.resolve() }
  const clientIds = postings.map((posting) => posting.clientId)
  // Sent together, but run one after the other: what is known is read under the locks.
  const [accounts, known] = await Promise.all([
    lockAccounts(tx, clientIds),
    findKnown(tx, postings, isNew),
  ])
  const { answers, made, moved } = decidePostings(accounts, known, postings, now)
  const written = made.length > 0 ? writePostings(tx, made, moved, now) : Promise.resolve()
  // Whoever waits for it hears of a failure; nobody else has to.
  written.catch(() => {})
  return { answers, written }
}
