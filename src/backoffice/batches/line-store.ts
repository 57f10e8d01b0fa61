import { pseudonymMark } from '#base/sealing/pseudonym.ts'
import { columns, type Db, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { TransactionStatus } from '#money/transactions/transaction.ts'
import type { BatchId, BatchLine, PayableLine } from './batch.ts'
import { type LineState, lineSteps } from './transitions.ts'

const lineColumns = columns([
  'line',
  'phone',
  'service_code',
  'amount',
  'fee',
  'name',
  'reference',
  'external_id',
  'given',
  'errors',
  'warnings',
  'state',
  'attempt',
  'transaction_id',
  'refusal',
])

const newLines = rowsOf({
  line: 'integer',
  phone: 'text',
  serviceCode: 'text',
  amount: 'bigint',
  fee: 'bigint',
  name: 'text',
  reference: 'text',
  externalId: 'text',
  given: 'jsonb',
  errors: 'jsonb',
  warnings: 'jsonb',
  state: 'text',
})

// Bounds the size of a statement.
const insertedAtOnce = 1000

export async function insertLines(tx: Tx, { clientId, id }: BatchId, lines: BatchLine[]) {
  for (let at = 0; at < lines.length; at += insertedAtOnce)
    await tx`
      insert into batch_lines (client_id, batch_id, line, phone, service_code, amount, fee, name,
        reference, external_id, given, errors, warnings, state)
      select ${clientId}, ${id}, line, phone, "serviceCode", amount, fee, name,
        reference, "externalId", given, errors, warnings, state
      from ${newLines(lines.slice(at, at + insertedAtOnce))} as l`
}

/** Lines of a batch after one, in the order of the file; `states`: only these. */
export function readLines(
  run: Db | Tx,
  { clientId, id }: BatchId,
  range: { after: number; limit: number; states?: LineState[] | undefined },
): Promise<BatchLine[]> {
  const { after, limit, states = null } = range
  return run<BatchLine>`
    select ${lineColumns} from batch_lines
    where client_id = ${clientId} and batch_id = ${id} and line > ${after}
      and state = any(coalesce(${states}::text[], array[state]))
    order by line
    limit ${limit}`
}

/** What the lines of a batch that have no errors add up to, by service. */
export interface ServiceTotal {
  serviceCode: string
  lines: number
  amount: number
  fee: number
}

export function readTotals(db: Db, { clientId, id }: BatchId): Promise<ServiceTotal[]> {
  return db<ServiceTotal>`
    select service_code as "serviceCode", count(*) as lines, sum(amount)::bigint as amount,
      sum(fee)::bigint as fee
    from batch_lines
    where client_id = ${clientId} and batch_id = ${id} and state <> 'faulty'
    group by service_code order by service_code`
}

/** What a batch's payouts have taken for good by the ledger, and what is set aside for now. */
export interface TakenByBatch {
  taken: number
  held: number
}

export async function readTaken(db: Db, { clientId, id }: BatchId): Promise<TakenByBatch> {
  const [row] = await db<TakenByBatch>`
    select coalesce(-sum(e.amount), 0)::bigint as taken,
      coalesce(sum(e.amount) filter (where e.account = 'held'), 0)::bigint as held
    from batch_lines l
    cross join lateral (
      select p.client_id, p.id from ledger_postings p
      where p.client_id = l.client_id and p.ref = l.transaction_id::text
        and p.kind in ('hold', 'capture', 'release')
      -- Keeps the planner from comparing each line with all postings of the client.
      offset 0
    ) p
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account in ('available', 'held')
    where l.client_id = ${clientId} and l.batch_id = ${id} and l.transaction_id is not null`
  return row ?? { taken: 0, held: 0 }
}

/** The name that the latest batch gives a number; undefined: none does. */
export async function findName(
  db: Db,
  clientId: number,
  phone: string,
): Promise<string | undefined> {
  const [row] = await db<{ name: string }>`
    select name from batch_lines
    where client_id = ${clientId} and phone = ${phone} and name <> ''
    order by batch_id desc limit 1`
  return row?.name
}

/** Writes down which of the sent lines have been paid and which have failed for good. */
export async function settleLines(tx: Tx, { clientId, id }: BatchId): Promise<void> {
  await tx`
    update batch_lines l
    set ${lineSteps.setAs('l', 't', ['succeeded', 'came_to_nothing'])}
    from (
      select client_id, id, case status when 'SUCCESS' then 'paid' else 'failed' end as state
      from transactions
      where status in ('SUCCESS', 'FAILED', 'CANCELLED')
    ) t
    where l.client_id = ${clientId} and l.batch_id = ${id} and l.state = 'sent'
      and t.client_id = ${clientId} and t.id = l.transaction_id`
}

/** Of batches that pages follow, those with a line whose payout has ended since the last count. */
export function findUnsettled(db: Db, keys: string[]): Promise<BatchId[]> {
  return db<BatchId>`
    select b.client_id as "clientId", b.id
    from unnest(${keys}::text[]) as w (key)
    join batches b on (b.client_id, b.id)
      = (split_part(w.key, ' ', 1)::integer, split_part(w.key, ' ', 2)::uuid)
    where b.open > 0 and exists (
      select from batch_lines l
      join transactions t on (t.client_id, t.id) = (l.client_id, l.transaction_id)
      where (l.client_id, l.batch_id) = (b.client_id, b.id) and l.state = 'sent'
        and t.status in ('SUCCESS', 'FAILED', 'CANCELLED'))`
}

/**
 * Claims the next lines of a batch that is locked: those that a process which died had claimed, and
 * so many that wait.
 */
export async function claimLines(
  tx: Tx,
  { clientId, id }: BatchId,
  limit: number,
): Promise<PayableLine[]> {
  await tx`
    update batch_lines l set ${lineSteps.set('claimed', 'l')}
    where client_id = ${clientId} and batch_id = ${id} and line in (
      select line from batch_lines
      where client_id = ${clientId} and batch_id = ${id} and state = 'waiting'
      order by line
      limit greatest(0, ${limit} - (
        select count(*) from batch_lines
        where client_id = ${clientId} and batch_id = ${id} and state = 'sending')))`
  const claimed = await readLines(tx, { clientId, id }, { after: 0, limit, states: ['sending'] })
  return claimed as PayableLine[]
}

/** What became of a line that was claimed. */
export interface LineResult {
  line: number
  attempt: number
  state: 'sent' | 'refused' | 'waiting'
  transactionId: string | null
  refusal: BatchLine['refusal']
}

const resultSteps = ['recorded', 'not_made', 'put_off'] as const
const lineResults = rowsOf({
  line: 'integer',
  attempt: 'smallint',
  state: 'text',
  transactionId: 'uuid',
  refusal: 'jsonb',
})

/**
 * Writes results of claimed lines, unless another process has written them. That a payout was made
 * is also written over a refusal.
 */
export async function updateLines(tx: Tx, { clientId, id }: BatchId, results: LineResult[]) {
  if (results.length === 0) return
  await tx`
    update batch_lines l
    set ${lineSteps.setAs('l', 'n', resultSteps)},
      transaction_id = n."transactionId", refusal = n.refusal
    from ${lineResults(results)} as n
    where l.client_id = ${clientId} and l.batch_id = ${id} and l.line = n.line
      and l.attempt = n.attempt and ${lineSteps.canBe('l', 'n', resultSteps)}`
}

/**
 * Lets every line that has failed for good be sent again, under the next id (`externalIdOf`) that
 * neither a record of the client nor another line of the batch has; counts them.
 */
export async function resetFailed(tx: Tx, { clientId, id }: BatchId): Promise<number> {
  const rows = await tx`
    update batch_lines l
    set ${lineSteps.set('retried', 'l')}, transaction_id = null, attempt = (
      select n from generate_series(l.attempt + 1, l.attempt + 1000) n
      cross join lateral (
        select coalesce(l.external_id, format('batch-%s-%s', l.batch_id, l.line)) || '-' || n as id
      ) w
      where not exists (
          select from external_ids e where e.client_id = ${clientId} and e.external_id = w.id)
        and not exists (
          select from batch_lines o
          where o.client_id = ${clientId} and o.batch_id = ${id} and o.external_id = w.id)
      order by n limit 1)
    from transactions t
    where l.client_id = ${clientId} and l.batch_id = ${id} and l.state = 'failed'
      and t.client_id = ${clientId} and t.id = l.transaction_id
      and t.status in ('FAILED', 'CANCELLED')
    returning l.line`
  return rows.length
}

/** Whether a line of a batch has lost its number. */
export async function hasForgottenNumbers(tx: Tx, { clientId, id }: BatchId): Promise<boolean> {
  const rows = await tx`
    select from batch_lines
    where client_id = ${clientId} and batch_id = ${id} and starts_with(phone, ${pseudonymMark})
    limit 1`
  return rows.length > 0
}

/** A line and the transaction of its last attempt. */
export interface ResultLine extends BatchLine {
  status: TransactionStatus | null
  failure: string | null
  charged: number | null
  completedAt: Date | null
}

export function readResults(
  db: Db,
  { clientId, id }: BatchId,
  { after, limit }: { after: number; limit: number },
): Promise<ResultLine[]> {
  return db<ResultLine>`
    select l.*, t.status, t.failure, t.fee as charged, t.completed_at as "completedAt"
    from (
      select ${lineColumns} from batch_lines
      where client_id = ${clientId} and batch_id = ${id} and line > ${after}
      order by line limit ${limit}
    ) l
    left join transactions t on t.client_id = ${clientId} and t.id = l."transactionId"
    order by l.line`
}
