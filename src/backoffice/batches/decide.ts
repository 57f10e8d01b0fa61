import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import type { Batch, BatchId } from './batch.ts'
import type { BatchContext } from './context.ts'
import { hasForgottenNumbers, resetFailed } from './line-store.ts'
import { lockOwnBatch, moveBatch } from './move.ts'
import { recount } from './store.ts'
import { tellOfBatch } from './tell.ts'

/** A batch and the person who does something with it. */
export interface Act extends BatchId {
  actor: string
}

type Parts = Pick<BatchContext, 'db' | 'clock'>

/** Submits a draft without errors for approval; those who may approve it get a mail. */
export function proposeBatch(
  parts: Parts & Pick<BatchContext, 'publicUrl' | 'hasSmtp'>,
  act: Act,
): Promise<Batch> {
  return change(parts, act, async (tx, batch, at) => {
    if (batch.state === 'draft' && batch.faulty > 0)
      throw new Refusal(
        'conflict',
        reason('{faulty} lines have errors: correct the file and upload it again', {
          faulty: batch.faulty,
        }),
      )
    const { actor } = act
    const change = { proposedBy: actor }
    const proposed = await moveBatch(tx, batch, { trigger: 'proposed', actor, at, change })
    await tellOfBatch(tx, parts, proposed)
    return proposed
  })
}

/**
 * Lets a batch run. It takes another person than the one who proposed it, unless the caller knows
 * that the client has nobody else who may approve.
 */
export function approveBatch(parts: Parts, act: Act & { mayApproveOwn?: boolean }): Promise<Batch> {
  const { actor, mayApproveOwn = false } = act
  return change(parts, act, async (tx, batch, at) => {
    if (batch.state === 'proposed' && batch.proposedBy === actor && !mayApproveOwn)
      throw new Refusal('conflict', 'Another person must approve what you have proposed')
    const changed = { approvedBy: actor, dueAt: at }
    return moveBatch(tx, batch, { trigger: 'approved', actor, at, change: changed })
  })
}

/** Sends a proposal back for good, with a reason that its proposer reads. */
export function refuseBatch(parts: Parts, act: Act & { reason: string }): Promise<Batch> {
  const why = oneLine(act.reason, 500)
  if (why === '') throw new Refusal('validation_failed', 'A refusal needs a reason')
  return change(parts, act, (tx, batch, at) =>
    moveBatch(tx, batch, { trigger: 'refused', actor: act.actor, at, reason: reason(why) }),
  )
}

/** Ends a batch that does not run: lines that were not sent never will be. */
export function cancelBatch(parts: Parts, act: Act): Promise<Batch> {
  return change(parts, act, (tx, batch, at) =>
    moveBatch(tx, batch, { trigger: 'cancelled', actor: act.actor, at }),
  )
}

/** Stops sending. Lines that are on their way end as they will. */
export function pauseBatch(parts: Parts, act: Act): Promise<Batch> {
  return change(parts, act, (tx, batch, at) =>
    moveBatch(tx, batch, {
      trigger: 'paused',
      actor: act.actor,
      at,
      reason: reason('It was paused by {actor}', { actor: act.actor }),
    }),
  )
}

/** Goes on with a batch that a person or the gateway paused. */
export function resumeBatch(parts: Parts, act: Act): Promise<Batch> {
  return change(parts, act, (tx, batch, at) =>
    moveBatch(tx, batch, { trigger: 'resumed', actor: act.actor, at, change: { dueAt: at } }),
  )
}

/**
 * Sends the lines of a finished batch again whose transactions have failed or were cancelled for
 * good. Each gets a new external id, derived from batch, line and attempt. Lines that were refused
 * are not sent again: their id may belong to a payout that was made.
 */
export function retryFailed(parts: Parts, act: Act): Promise<Batch> {
  return change(parts, act, async (tx, batch, at) => {
    const { actor } = act
    if (await hasForgottenNumbers(tx, act))
      throw new Refusal('conflict', 'Numbers of this batch have been erased: upload a new file')
    const moved = await moveBatch(tx, batch, {
      trigger: 'retried',
      actor,
      at,
      change: { dueAt: at },
    })
    if ((await resetFailed(tx, moved)) === 0)
      throw new Refusal('conflict', 'No line of the batch has failed')
    return recount(tx, moved, at)
  })
}

function change(
  { db, clock }: Parts,
  act: Act,
  work: (tx: Tx, batch: Batch, at: Date) => Promise<Batch>,
): Promise<Batch> {
  return db.transaction(async (tx) => work(tx, await lockOwnBatch(tx, act), clock.now()))
}
