import { monotonicMs } from '#base/kit/clock.ts'
import type { Traces } from '#base/traces/open.ts'
import type { Tx } from '#data/db/db.ts'
import { postPipelined } from '#money/ledger/post.ts'
import { move } from '#money/lifecycle/move.ts'
import type { Limits } from '#money/limits/open.ts'
import { type Effects, keyOf, type TransactionMove } from './apply.ts'
import { insertConflicts, insertEvidence } from './evidence-store.ts'
import { carriedBy, updateTransactions } from './store.ts'
import { stepAttributes, type Transaction } from './transaction.ts'

/**
 * Writes the events of transactions that have ended, in the database transaction that ends them,
 * and adds the codes of top-ups that got theirs after the end to their events; the function it
 * returns is to be called once that has committed.
 */
export type Announce = (
  tx: Tx,
  ended: Transaction[],
  now: Date,
  tokened: Transaction[],
) => Promise<() => void>

/** What the end of a transaction concerns beside its own tables. */
export interface EndingParts {
  announce: Announce
  limits: Pick<Limits, 'free'>
  traces?: Traces | undefined
}

interface WriteOptions {
  /** Resolves once the rows are known to be current; the accounts are locked behind it. */
  versionsChecked: Promise<void>
  /** Whether a repeated callback fails the group or is ignored. */
  onRepeatedEvidence: 'fail' | 'ignore'
}

const rowsAreLocked: WriteOptions = {
  versionsChecked: Promise.resolve(),
  onRepeatedEvidence: 'ignore',
}

/**
 * Writes what was decided: money, statuses, evidence, conflicts, events. Statements that need no
 * other's answer share a round trip. Returns what to call after the commit.
 */
export async function writeEffects(
  tx: Tx,
  effects: Effects,
  now: Date,
  { announce, limits, traces }: EndingParts,
  { versionsChecked, onRepeatedEvidence }: WriteOptions = rowsAreLocked,
): Promise<() => void> {
  const { evidence, conflicts, ended, tokened, postings } = effects
  const startedMs = traces === undefined ? 0 : monotonicMs()
  // Before the accounts: recording locks the sums of limits before these too.
  const freed = limits.free(tx, ended, now)
  freed.catch(() => {})
  // First, because the balances it returns are written with the rest.
  const posted =
    postings.length > 0 ? await postMoney(tx, effects, now, versionsChecked) : undefined
  const [afterCommit] = await Promise.all([
    announce(tx, ended, now, tokened),
    freed,
    posted?.written,
    versionsChecked,
    writeMoves(tx, effects),
    updateUnmoved(tx, effects),
    insertEvidence(tx, evidence, onRepeatedEvidence),
    conflicts.length > 0 ? insertConflicts(tx, conflicts) : undefined,
  ])
  if (traces === undefined || postings.length === 0) return afterCommit
  return () => {
    afterCommit()
    tracePostings(traces, startedMs, effects)
  }
}

/** A span for each posting of a group, once the group is committed. */
function tracePostings(traces: Traces, startedMs: number, { postings }: Effects): void {
  for (const { transaction, posting } of postings) {
    if (transaction === null) continue
    const attributes = { ...stepAttributes(transaction), 'passerelle.posting': posting.kind }
    traces.step(transaction, startedMs, { name: 'ledger', kind: 'internal', attributes })
  }
}

async function postMoney(
  tx: Tx,
  { postings }: Effects,
  now: Date,
  versionsChecked: Promise<void>,
): Promise<{ written: Promise<void> }> {
  // The accounts are locked right after the transactions, in the same round trip.
  const [{ results, written }] = await Promise.all([
    postPipelined(
      tx,
      postings.map(({ posting }) => posting),
      now,
      // Late money can be reported twice; every other posting belongs to a status that moves once.
      ({ kind }) => kind !== 'suspend',
    ),
    versionsChecked,
  ])
  postings.forEach(({ transaction, posting }, index) => {
    const answer = results[index]
    if (transaction === null) return
    if (!answer?.isPosted) throw new Error(`transaction ${transaction.id} could not be settled`)
    // A capture moves held money only: the merchant saw the balance move with the hold.
    const { before, after } = answer.available
    if (before === after && transaction.balanceAfter !== null) return
    // What was held and is released was never debited: of the whole transaction nothing is left.
    // Money that came too late was credited for its refund, and stays when that fails.
    const isUndone = posting.kind === 'release' && transaction.lateReference === null
    transaction.balanceBefore = isUndone ? after : before
    transaction.balanceAfter = after
  })
  return { written }
}

/**
 * One transaction can move twice in a group (accepted, then settled): step by step, in order. The
 * statement of its last step also writes its other changed columns and increments its version,
 * once for the group.
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

function split<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

async function updateUnmoved(tx: Tx, { moves, changed }: Effects): Promise<void> {
  const moved = new Set(moves.map(({ clientId, id }) => keyOf(clientId, id)))
  const others = [...changed].filter(([key]) => !moved.has(key)).map(([, one]) => one)
  if (others.length > 0) await updateTransactions(tx, others)
}
