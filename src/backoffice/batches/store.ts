import type { Reason } from '#base/kit/refusal.ts'
import { columns, type Db, json, type Tx } from '#data/db/db.ts'
import type { Batch, BatchId } from './batch.ts'
import { type BatchTrigger, batchSteps } from './transitions.ts'

const batchColumns = columns([
  'client_id',
  'id',
  'name',
  'file_name',
  'file_hash',
  'state',
  'uploaded_by',
  'proposed_by',
  'approved_by',
  'reason',
  'warnings',
  'lines',
  'faulty',
  'amount',
  'fee',
  'waiting',
  'open',
  'paid',
  'failed',
  'refused',
  'paid_amount',
  'version',
  'changed_at',
  'created_at',
  'completed_at',
  'due_at',
])

export async function insertBatch(tx: Tx, batch: Batch): Promise<void> {
  await tx`
    insert into batches (client_id, id, name, file_name, file_hash, state, uploaded_by, warnings,
      lines, faulty, amount, fee, waiting, changed_at, created_at)
    values (${batch.clientId}, ${batch.id}, ${batch.name}, ${batch.fileName}, ${batch.fileHash},
      ${batch.state}, ${batch.uploadedBy}, ${json(batch.warnings)}, ${batch.lines},
      ${batch.faulty}, ${batch.amount}, ${batch.fee}, ${batch.waiting}, ${batch.createdAt},
      ${batch.createdAt})`
}

export async function lockBatch(tx: Tx, { clientId, id }: BatchId): Promise<Batch | undefined> {
  const [found] = await tx<Batch>`
    select ${batchColumns} from batches
    where client_id = ${clientId} and id = ${id}
    for update`
  return found
}

export async function findBatch(
  run: Db | Tx,
  { clientId, id }: BatchId,
): Promise<Batch | undefined> {
  const [found] = await run<Batch>`
    select ${batchColumns} from batches where client_id = ${clientId} and id = ${id}`
  return found
}

/** The client of a batch, for operators; undefined: there is no such batch. */
export async function findBatchOwner(db: Db, id: string): Promise<number | undefined> {
  const [row] = await db<{ clientId: number }>`
    select client_id as "clientId" from batches where id = ${id}`
  return row?.clientId
}

/** A client's batches before one, newest first: ids begin with the time. */
export function listBatches(
  db: Db,
  clientId: number,
  { below, limit }: { below: string; limit: number },
): Promise<Batch[]> {
  return db<Batch>`
    select ${batchColumns} from batches
    where client_id = ${clientId} and id < ${below}
    order by id desc
    limit ${limit}`
}

/** Writes what a step of a batch changes; called by `move.ts` alone. */
export async function updateState(tx: Tx, batch: Batch, trigger: BatchTrigger): Promise<void> {
  const { clientId, id, proposedBy, approvedBy, reason } = batch
  await tx`
    update batches
    set ${batchSteps.set(trigger, 'batches')}, proposed_by = ${proposedBy},
      approved_by = ${approvedBy},
      reason = ${reason === null ? null : json(reason)}, completed_at = ${batch.completedAt},
      due_at = ${batch.dueAt}, version = ${batch.version}, changed_at = ${batch.changedAt}
    where client_id = ${clientId} and id = ${id}`
}

/** When a process looks at it again; null: never, until a person does something. */
export async function updateDue(tx: Tx, { clientId, id }: BatchId, dueAt: Date | null) {
  await tx`
    update batches set due_at = ${dueAt} where client_id = ${clientId} and id = ${id}`
}

/** Counts the lines of a batch anew; other counts than before are a new version. */
export async function recount(tx: Tx, { clientId, id }: BatchId, now: Date): Promise<Batch> {
  await tx`
    with counted as (
      select count(*) filter (where state = 'waiting') as waiting,
        count(*) filter (where state in ('sending', 'sent')) as open,
        count(*) filter (where state = 'paid') as paid,
        count(*) filter (where state = 'failed') as failed,
        count(*) filter (where state = 'refused') as refused,
        coalesce(sum(amount) filter (where state = 'paid'), 0)::bigint as paid_amount
      from batch_lines where client_id = ${clientId} and batch_id = ${id}
    )
    update batches b
    set waiting = n.waiting, open = n.open, paid = n.paid, failed = n.failed,
      refused = n.refused, paid_amount = n.paid_amount,
      version = b.version + 1, changed_at = ${now}
    from counted n
    where b.client_id = ${clientId} and b.id = ${id}
      and (b.waiting, b.open, b.paid, b.failed, b.refused)
        <> (n.waiting, n.open, n.paid, n.failed, n.refused)`
  const counted = await findBatch(tx, { clientId, id })
  if (counted === undefined) throw new Error(`there is no batch ${id}`)
  return counted
}

interface NewStep extends Pick<Batch, 'clientId'> {
  state: Batch['state'] | '(new)'
  batchId: string
  trigger: string
  to: string
  actor: string
  reason: Reason | null
  at: Date
}

/** Adds to the history of a batch that is locked: steps are numbered from 1. */
export async function insertStep(tx: Tx, step: NewStep): Promise<void> {
  const { clientId, batchId, state, trigger, to, actor, reason, at } = step
  await tx`
    insert into batch_steps (client_id, batch_id, number, from_state, trigger, to_state, actor,
      reason, at)
    select ${clientId}, ${batchId}, count(*) + 1, ${state}, ${trigger}, ${to}, ${actor},
      ${reason === null ? null : json(reason)}::jsonb, ${at}
    from batch_steps where client_id = ${clientId} and batch_id = ${batchId}`
}

/** One step in the life of a batch. */
export interface BatchStep {
  from: string
  trigger: string
  to: string
  actor: string
  reason: Reason | null
  at: Date
}

export function readSteps(db: Db, { clientId, id }: BatchId): Promise<BatchStep[]> {
  return db<BatchStep>`
    select from_state as "from", trigger, to_state as "to", actor, reason, at
    from batch_steps where client_id = ${clientId} and batch_id = ${id}
    order by number`
}

/** The versions of batches that pages follow. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db<{ key: string; version: string }>`
    select w.key, b.version::text as version
    from unnest(${ids}::text[]) as w (key)
    join batches b on (b.client_id, b.id)
      = (split_part(w.key, ' ', 1)::integer, split_part(w.key, ' ', 2)::uuid)`
  return new Map(rows.map(({ key, version }) => [key, version]))
}

/** The names of a client's other batches of the same file, cancelled and refused ones apart. */
export function findSameFile(
  tx: Tx,
  clientId: number,
  fileHash: string,
): Promise<Pick<Batch, 'name' | 'createdAt'>[]> {
  return tx<Pick<Batch, 'name' | 'createdAt'>>`
    select name, created_at as "createdAt" from batches
    where client_id = ${clientId} and file_hash = ${fileHash}
      and state not in ('cancelled', 'refused')
    order by id desc
    limit 3`
}
