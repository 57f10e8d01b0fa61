import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import type { Batch, BatchId } from './batch.ts'
import { insertStep, lockBatch, updateState } from './store.ts'
import { type BatchTrigger, batchSteps, isEnd } from './transitions.ts'

/** The gateway itself, where no person did something. */
export const gatewayActor = 'gateway'

interface BatchMove {
  trigger: BatchTrigger
  actor: string
  reason?: Reason | null
  at: Date
  /** What else changes. */
  change?: Partial<Pick<Batch, 'proposedBy' | 'approvedBy' | 'dueAt'>>
}

/**
 * The only writer of a batch's state: moves a locked batch along the table, adds the step to its
 * history and to the audit log. Refuses a step that the table does not have.
 */
export async function moveBatch(tx: Tx, batch: Batch, move: BatchMove): Promise<Batch> {
  const { trigger, actor, at } = move
  const state = batchSteps.next(batch.state, trigger)
  if (state === undefined)
    throw new Refusal(
      'conflict',
      reason('The batch is {state}: this is possible only while it is {states}', {
        state: batch.state,
        states: batchSteps.before(trigger).join(', '),
      }),
    )
  const moved: Batch = {
    ...batch,
    ...move.change,
    state,
    reason: move.reason ?? null,
    completedAt: isEnd(state) ? at : null,
    version: batch.version + 1,
    changedAt: at,
  }
  const { clientId, id: batchId } = batch
  await updateState(tx, moved, trigger)
  await insertStep(tx, { ...batch, batchId, trigger, actor, reason: moved.reason, to: state, at })
  await recordAudit(tx, {
    at,
    actor,
    action: `batch.${trigger}`,
    clientId,
    details: { batchId, ...(moved.reason === null ? {} : { reason: moved.reason }) },
  })
  return moved
}

/** Locks a batch; refuses one that this client does not have. */
export async function lockOwnBatch(tx: Tx, id: BatchId): Promise<Batch> {
  const batch = await lockBatch(tx, id)
  if (batch === undefined) throw noBatch()
  return batch
}

/** The refusal of a batch that does not exist, or is another client's. */
export function noBatch(): Refusal {
  return new Refusal('not_found', 'No batch found')
}
