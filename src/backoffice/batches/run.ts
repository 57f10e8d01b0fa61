import { setTimeout as sleep } from 'node:timers/promises'
import { after } from '#base/kit/clock.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { claimDue, type Sweeper, startSweeper } from '#data/db/due.ts'
import { findByExternalIds } from '#money/transactions/store.ts'
import { type Batch, type BatchId, customDataOf, externalIdOf, type PayableLine } from './batch.ts'
import type { BatchContext } from './context.ts'
import { claimLines, findUnsettled, readLines, settleLines, updateLines } from './line-store.ts'
import { gatewayActor, moveBatch } from './move.ts'
import { isOfLine, type Sent, sendLine, sent, waiting } from './send-line.ts'
import { lockBatch, recount, updateDue } from './store.ts'

// Longer than a step takes: a transaction waits for its provider for five seconds at most.
const leaseMs = 20_000
const secondMs = 1000
const lookAgainMaxMs = 30_000
const batchesAtOnce = 10

/**
 * Runs batches that are due, each a step at a time: so many lines in a second. Any process may take
 * the next step of a batch; when one dies, another goes on after the end of its lease.
 */
export function startBatchSweeper(context: BatchContext): Sweeper {
  const { db, clock, log } = context
  const running = new Set<Promise<void>>()
  const start = (id: BatchId) => {
    const step = runBatch(context, id)
      .catch((problem: unknown) =>
        log.error({ err: problem, batchId: id.id }, 'a batch will be looked at again'),
      )
      .finally(() => running.delete(step))
    running.add(step)
  }
  const sweeper = startSweeper({
    name: 'batches',
    claim: async (now, limit) => {
      const free = limit - running.size
      return free > 0 ? claimDue(db, { table: 'batches', now, leaseMs, limit: free }) : []
    },
    // A slow provider of one batch must not keep the others waiting.
    work: async (due) => due.forEach(start),
    batchMax: batchesAtOnce,
    idleMs: 250,
    clock,
    log,
  })
  return {
    ...sweeper,
    stop: async () => {
      await sweeper.stop()
      await Promise.all(running)
    },
  }
}

/** Takes the next step of a batch, whose lease the caller holds. */
export async function runBatch(context: BatchContext, id: BatchId): Promise<void> {
  const { db, clock, linesPerSecond } = context
  const begunAt = clock.now()
  const begun = await db.transaction((tx) => beginStep(tx, id, begunAt, linesPerSecond))
  if (begun === undefined) return
  const { batch, lines } = begun
  const outcomes =
    batch.state === 'running'
      ? await sendLines(context, batch, lines, begunAt)
      : await lookUp(db, batch, lines)
  await db.transaction((tx) => endStep(tx, batch, outcomes, { begunAt, now: clock.now() }))
}

/** Claims lines before any is sent: once a batch is paused, no other line leaves. */
async function beginStep(tx: Tx, id: BatchId, now: Date, linesMax: number) {
  const locked = await lockBatch(tx, id)
  if (locked === undefined) return undefined
  const batch =
    locked.state === 'approved'
      ? await moveBatch(tx, locked, { trigger: 'started', actor: gatewayActor, at: now })
      : locked
  const lines =
    batch.state === 'running'
      ? await claimLines(tx, id, linesMax)
      : await readLines(tx, id, { after: 0, limit: linesMax, states: ['sending'] })
  // Whoever pauses the batch now is told how many lines have not been claimed.
  await recount(tx, id, now)
  const dueAt = after(now, leaseMs)
  await updateDue(tx, id, dueAt)
  return { batch: { ...batch, dueAt }, lines: lines as PayableLine[] }
}

/**
 * What a step may write of the lines that it has sent. Its lease is the due date that it has set:
 * once that is another, another step may have claimed the same lines and be sending them, and only
 * what is recorded for good is sure. A line that is left as it is will be sent again, under its id.
 */
function stillSure(locked: Batch, begun: Batch, outcomes: Sent[]): Sent[] {
  return isLeaseHeld(locked, begun)
    ? outcomes
    : outcomes.filter((one) => one?.result.state === 'sent')
}

function isLeaseHeld(locked: Batch, begun: Batch): boolean {
  return locked.dueAt?.getTime() === begun.dueAt?.getTime()
}

/**
 * Sends lines. While some wait for a slow provider, what became of the others is written down each
 * second: people watch how far the batch is.
 */
async function sendLines(
  context: BatchContext,
  batch: Batch,
  lines: PayableLine[],
  begunAt: Date,
): Promise<Sent[]> {
  const { db, clock } = context
  const known: Sent[] = []
  const all = Promise.all(
    lines.map(async (line) => {
      const outcome = await sendInTime(context, batch, line, begunAt)
      known.push(outcome)
      return outcome
    }),
  )
  const areSent = all.then(() => true)
  while (!(await Promise.race([areSent, sleep(secondMs, false, { ref: false })]))) {
    const taken = known.splice(0)
    await db.transaction(async (tx) => {
      const locked = await lockBatch(tx, batch)
      if (locked !== undefined)
        await takeOutcomes(tx, batch, stillSure(locked, batch, taken), clock.now())
    })
  }
  return all
}

/** Sends a line, unless this process was stopped for so long that another has the batch now. */
async function sendInTime(
  context: BatchContext,
  batch: Batch,
  line: PayableLine,
  claimedAt: Date,
): Promise<Sent> {
  const elapsedMs = context.clock.now().getTime() - claimedAt.getTime()
  if (elapsedMs >= leaseMs / 2) return undefined
  const outcome = await sendLine(context, batch, line)
  if (outcome?.result.state !== 'refused') return outcome
  // By the rules of now: before, another process may have made its payout.
  const [known] = await lookUp(context.db, batch, [line])
  return known?.result.state === 'sent' ? known : outcome
}

/** Finds out what became of lines that a process had claimed when it died; sends nothing. */
async function lookUp(db: Db, batch: Batch, lines: PayableLine[]): Promise<Sent[]> {
  const { clientId, id } = batch
  const wanted = lines.map((line) => ({ clientId, externalId: externalIdOf(id, line) }))
  const found = wanted.length === 0 ? [] : await findByExternalIds(db, wanted)
  const byId = new Map(found.map((one) => [one.externalId, one]))
  return lines.map((line) => {
    const existing = byId.get(externalIdOf(id, line))
    const service = { code: line.serviceCode }
    return isOfLine(existing, { ...line, service, customData: customDataOf(id, line) })
      ? sent(line, existing)
      : waiting(line)
  })
}

/** Writes down what became of lines of a locked batch, and counts all of them. */
async function takeOutcomes(tx: Tx, id: BatchId, outcomes: Sent[], now: Date): Promise<Batch> {
  const known = outcomes.filter((one) => one !== undefined)
  await updateLines(
    tx,
    id,
    known.map(({ result }) => result),
  )
  await settleLines(tx, id)
  return recount(tx, id, now)
}

/**
 * Counts what has ended in batches that pages follow: when all lines are sent, the next step may be
 * half a minute away.
 */
export async function settleFollowed(
  { db, clock }: Pick<BatchContext, 'db' | 'clock'>,
  keys: string[],
): Promise<void> {
  for (const id of await findUnsettled(db, keys))
    await db.transaction(async (tx) => {
      if ((await lockBatch(tx, id)) === undefined) return
      const now = clock.now()
      const batch = await takeOutcomes(tx, id, [], now)
      if (isOver(batch)) await endBatch(tx, batch, now)
    })
}

/** Whether all lines of a batch that runs have ended. */
function isOver({ state, waiting: unsent, open }: Batch): boolean {
  return state === 'running' && unsent + open === 0
}

async function endBatch(tx: Tx, batch: Batch, at: Date): Promise<void> {
  await moveBatch(tx, batch, { trigger: 'done', actor: gatewayActor, at, change: { dueAt: null } })
}

async function endStep(
  tx: Tx,
  id: Batch,
  sent: Sent[],
  { begunAt, now }: { begunAt: Date; now: Date },
): Promise<void> {
  const locked = await lockBatch(tx, id)
  if (locked === undefined) return
  const outcomes = stillSure(locked, id, sent)
  const batch = await takeOutcomes(tx, id, outcomes, now)
  if (isOver(batch)) return endBatch(tx, batch, now)
  // A payout that was written down after the end of its batch is followed to its own.
  if (!isLeaseHeld(locked, id))
    return batch.open > 0 && locked.dueAt === null ? updateDue(tx, id, now) : undefined
  const pause = outcomes.find((one) => one?.pause !== undefined)?.pause
  const isRunning = batch.state === 'running'
  if (isRunning && pause !== undefined) {
    const change = { dueAt: batch.open > 0 ? after(now, secondMs) : null }
    const actor = gatewayActor
    await moveBatch(tx, batch, { trigger: 'paused', actor, reason: pause, at: now, change })
  } else if (isRunning && batch.waiting > 0) await updateDue(tx, id, after(begunAt, secondMs))
  else await updateDue(tx, id, batch.open > 0 ? after(now, lookAgainMs(batch, now)) : null)
}

/** The longer nothing has changed, the later the next look. */
function lookAgainMs({ changedAt }: Batch, now: Date): number {
  const quietMs = now.getTime() - changedAt.getTime()
  return Math.min(Math.max(quietMs, secondMs), lookAgainMaxMs)
}
