import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Tx } from '../kit/db.ts'
import { newRandomId } from '../kit/ids.ts'
import { post } from '../ledger/post.ts'
import { move } from '../lifecycle/move.ts'
import type { Applied, Effects, Heard, Rows, TransactionMove } from './apply.ts'
import { applyHeard, keyOf } from './apply.ts'
import {
  insertAttempt,
  insertConflicts,
  insertEvidence,
  lockTransactions,
  updateTransactions,
} from './store.ts'
import type { Transaction } from './transaction.ts'
import { ownLeaseMs } from './transaction.ts'

/**
 * Writes what merchants are told about transactions that have ended, in the database transaction
 * that ends them; what it answers with is done once that has committed.
 */
export type Announce = (tx: Tx, ended: Transaction[], now: Date) => Promise<() => void>

/**
 * Applies what was heard, in the order given: status, money, conflict, next look and what merchants
 * are told, together or not at all. Transactions are locked first, in id order, then their
 * merchants' accounts. `tell` is to be called once it has committed.
 */
export async function recordOutcomes(
  tx: Tx,
  heard: Heard[],
  clock: Clock,
  announce: Announce,
): Promise<{ applied: Applied[]; tell: () => void }> {
  const rows = await lockWithOriginals(tx, heard)
  // Read once the rows are ours: a history's times then run the way it went.
  const now = clock.now()
  const { applied, effects } = applyHeard(rows, heard, now)
  return { applied, tell: await write(tx, effects, now, announce) }
}

async function lockWithOriginals(tx: Tx, heard: Heard[]): Promise<Rows> {
  const ids = heard.map(({ clientId, transactionId: id }) => ({ clientId, id }))
  const rows = await lockTransactions(tx, ids)
  const found = new Map(rows.map((row) => [keyOf(row.clientId, row.id), row]))
  // A refund's end changes its original too. Originals are older, so their ids come first; a row
  // that is locked out of turn costs at worst a retry.
  const originals = rows.flatMap(({ clientId, originalId }) =>
    originalId === null || found.has(keyOf(clientId, originalId))
      ? []
      : [{ clientId, id: originalId }],
  )
  if (originals.length > 0)
    for (const row of await lockTransactions(tx, originals))
      found.set(keyOf(row.clientId, row.id), row)
  return found
}

/** Writes everything; what does not wait for another's answer is sent together. */
async function write(tx: Tx, effects: Effects, now: Date, announce: Announce): Promise<() => void> {
  const { moves, changed, evidence, conflicts, ended } = effects
  await Promise.all([
    postMoney(tx, effects, now),
    // One transaction can move twice in a group (taken, then settled): step by step, in order.
    ...inSteps(moves).map((step) => move(tx, step)),
  ])
  const [tell] = await Promise.all([
    announce(tx, ended, now),
    changed.size > 0 ? updateTransactions(tx, [...changed.values()]) : undefined,
    insertEvidence(tx, evidence),
    conflicts.length > 0 ? insertConflicts(tx, conflicts) : undefined,
  ])
  return tell
}

async function postMoney(tx: Tx, { postings }: Effects, now: Date): Promise<void> {
  const posted = await post(
    tx,
    postings.map(({ posting }) => posting),
    now,
  )
  postings.forEach(({ transaction }, index) => {
    const answer = posted[index]
    if (transaction === null) return
    if (!answer?.isPosted) throw new Error(`transaction ${transaction.id} could not be settled`)
    // A capture moves held money only: what the merchant saw move was the hold.
    const { before, after: left } = answer.available
    if (before === left && transaction.balanceAfter !== null) return
    transaction.balanceBefore = before
    transaction.balanceAfter = left
  })
}

/** Groups of moves in which no transaction comes twice, in the order of the moves. */
function inSteps(moves: TransactionMove[]): TransactionMove[][] {
  const counts = new Map<string, number>()
  const steps: TransactionMove[][] = []
  for (const one of moves) {
    const key = keyOf(one.clientId, one.id)
    const step = counts.get(key) ?? 0
    counts.set(key, step + 1)
    ;(steps[step] ??= []).push(one)
  }
  return steps
}

/** Gives an order that provably never left a new attempt; undefined when somebody else did. */
export async function beginAttempt(
  tx: Tx,
  stale: Transaction,
  now: Date,
): Promise<Transaction | undefined> {
  const [transaction] = await lockTransactions(tx, [stale])
  if (transaction?.attemptId !== stale.attemptId || transaction.attemptState !== 'not_sent')
    return undefined
  const fresh: Transaction = {
    ...transaction,
    attemptId: newRandomId(),
    attemptNumber: transaction.attemptNumber + 1,
    attemptState: 'recorded',
    attemptedAt: now,
    reference: null,
    dueAt: after(now, ownLeaseMs),
  }
  await updateTransactions(tx, [fresh])
  await insertAttempt(tx, fresh)
  return fresh
}
