import type { Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import { newAttemptId } from '../kit/ids.ts'
import { postAhead } from '../ledger/post.ts'
import { MovedMeanwhile, move } from '../lifecycle/move.ts'
import type { Applied, Effects, Heard, Rows, TransactionMove } from './apply.ts'
import { applyHeard, keyOf } from './apply.ts'
import { insertConflicts, insertEvidence, isHeardBefore } from './evidence-store.ts'
import {
  carriedBy,
  insertAttempt,
  lockTransactions,
  lockUnchanged,
  updateTransactions,
} from './store.ts'
import type { Transaction } from './transaction.ts'
import { ownLeaseMs } from './transaction.ts'

/**
 * Writes what merchants are told about transactions that have ended, in the database transaction
 * that ends them; what it answers with is done once that has committed.
 */
export type Announce = (tx: Tx, ended: Transaction[], now: Date) => Promise<() => void>

/** Transactions as they are known without asking; what is decided on them may have to be again. */
export type Known = (id: { clientId: number; id: string }) => Transaction | undefined

/**
 * Applies what was heard, in the order given: status, money, conflict, next look and what merchants
 * are told, together or not at all. Transactions are locked first, in id order, then their
 * merchants' accounts; those that are known already are not read, and when one of them turns out to
 * have changed meanwhile, or a message to have been heard before, all of it fails: `guessedWrong`
 * tells. `tell` is to be called once it has committed.
 */
export async function recordOutcomes(
  tx: Tx,
  heard: Heard[],
  clock: Clock,
  announce: Announce,
  known?: Known,
): Promise<{ applied: Applied[]; tell: () => void }> {
  const { rows, copies } = await readRows(tx, heard, known ?? (() => undefined))
  // Read once the rows are ours, or known not to have changed since we wrote them: a history's
  // times then run the way it went.
  const now = clock.now()
  const { applied, effects } = applyHeard(rows, heard, now)
  const unchanged = lockCopies(tx, copies, effects)
  const isGuess = known !== undefined
  return { applied, tell: await write(tx, effects, now, { announce, unchanged, isGuess }) }
}

/** Whether it failed because what was known already was not all there was to know. */
export function guessedWrong(problem: unknown): boolean {
  return problem instanceof MovedMeanwhile || isHeardBefore(problem)
}

/** The rows: those that were not known are locked, the others are copies. */
async function readRows(
  tx: Tx,
  heard: Heard[],
  known: Known,
): Promise<{ rows: Rows; copies: Transaction[] }> {
  const found: Rows = new Map()
  const copies: Transaction[] = []
  const unknown: { clientId: number; id: string }[] = []
  for (const { clientId, transactionId: id } of heard) {
    if (found.has(keyOf(clientId, id))) continue
    const copy = known({ clientId, id })
    if (copy === undefined) unknown.push({ clientId, id })
    else {
      found.set(keyOf(clientId, id), copy)
      copies.push(copy)
    }
  }
  if (unknown.length > 0)
    for (const row of await lockTransactions(tx, unknown))
      found.set(keyOf(row.clientId, row.id), row)
  // A refund's end changes its original too. Originals are older, so their ids come first; a row
  // that is locked out of turn costs at worst a retry.
  const originals = [...found.values()].flatMap(({ clientId, originalId }) =>
    originalId === null || found.has(keyOf(clientId, originalId))
      ? []
      : [{ clientId, id: originalId }],
  )
  if (originals.length > 0)
    for (const row of await lockTransactions(tx, originals))
      found.set(keyOf(row.clientId, row.id), row)
  return { rows: found, copies }
}

/**
 * Tells whether copies still are what they were. What is decided on them is decided, and even sent,
 * before the answer; nothing is committed before. Who moves money or ends a payment locks them all
 * ahead of accounts, links and event positions; otherwise a row that is written tells it by itself.
 */
function lockCopies(
  tx: Tx,
  copies: Transaction[],
  { postings, ended, changed }: Effects,
): Promise<void> {
  const isOpen = ({ clientId, id }: Transaction) => !changed.has(keyOf(clientId, id))
  const isOnlyNews = postings.length === 0 && ended.length === 0
  const left = isOnlyNews ? copies.filter(isOpen) : copies
  if (left.length === 0) return Promise.resolve()
  const unchanged = lockUnchanged(tx, left)
  // Whoever waits for it hears of a failure; nobody else has to.
  unchanged.catch(() => {})
  return unchanged
}

interface Writing {
  announce: Announce
  unchanged: Promise<void>
  /** Decided on what was known already: may fail, and is then done again. */
  isGuess: boolean
}

/** Writes everything; what does not wait for another's answer is sent together. */
async function write(
  tx: Tx,
  effects: Effects,
  now: Date,
  { announce, unchanged, isGuess }: Writing,
): Promise<() => void> {
  const { evidence, conflicts, ended, postings } = effects
  // First, because it tells the balances that are written with the rest.
  const posted = postings.length > 0 ? await postMoney(tx, effects, now, unchanged) : undefined
  const [tell] = await Promise.all([
    announce(tx, ended, now),
    posted?.written,
    unchanged,
    writeMoves(tx, effects),
    updateUnmoved(tx, effects),
    insertEvidence(tx, evidence, isGuess ? 'fails' : 'is kept once'),
    conflicts.length > 0 ? insertConflicts(tx, conflicts) : undefined,
  ])
  return tell
}

/**
 * One transaction can move twice in a group (taken, then settled): step by step, in order. The last
 * step carries along what else has changed.
 */
async function writeMoves(tx: Tx, { moves, changed }: Effects): Promise<void> {
  const steps = inSteps(moves)
  const lastStep = new Map<string, number>()
  steps.forEach((step, index) => {
    for (const { clientId, id } of step) lastStep.set(keyOf(clientId, id), index)
  })
  const isLast = (index: number) => (one: TransactionMove) =>
    lastStep.get(keyOf(one.clientId, one.id)) === index
  await Promise.all(
    steps.flatMap((step, index) => {
      const [last, others] = split(step, isLast(index))
      return [move(tx, others), move(tx, last, carriedBy(changed))]
    }),
  )
  for (const { clientId, id } of steps.flat()) {
    const key = keyOf(clientId, id)
    const transaction = changed.get(key)
    if (transaction !== undefined && lastStep.delete(key)) transaction.version += 1
  }
}

async function updateUnmoved(tx: Tx, { moves, changed }: Effects): Promise<void> {
  const moved = new Set(moves.map(({ clientId, id }) => keyOf(clientId, id)))
  const others = [...changed].filter(([key]) => !moved.has(key)).map(([, one]) => one)
  if (others.length > 0) await updateTransactions(tx, others)
}

function split<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

async function postMoney(
  tx: Tx,
  { postings }: Effects,
  now: Date,
  unchanged: Promise<void>,
): Promise<{ written: Promise<void> }> {
  // The accounts are locked right behind the transactions, in the same breath.
  const [{ answers, written }] = await Promise.all([
    postAhead(
      tx,
      postings.map(({ posting }) => posting),
      now,
      // Late news can come twice; all else belongs to a status that moves once.
      ({ kind }) => kind !== 'suspend',
    ),
    unchanged,
  ])
  postings.forEach(({ transaction }, index) => {
    const answer = answers[index]
    if (transaction === null) return
    if (!answer?.isPosted) throw new Error(`transaction ${transaction.id} could not be settled`)
    // A capture moves held money only: what the merchant saw move was the hold.
    const { before, after: left } = answer.available
    if (before === left && transaction.balanceAfter !== null) return
    transaction.balanceBefore = before
    transaction.balanceAfter = left
  })
  return { written }
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
    attemptId: newAttemptId(now),
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
