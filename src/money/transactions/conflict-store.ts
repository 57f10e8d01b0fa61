import { columns, type Db, type Tx } from '#data/db/db.ts'
import { ownClientId } from '#money/ledger/own.ts'
import type { ConflictKind } from './decide.ts'
import type { TransactionId } from './transaction.ts'

export interface Conflict {
  clientId: number
  id: string
  transactionId: string
  kind: ConflictKind
  details: Record<string, unknown>
  at: Date
  closedAt: Date | null
  closedBy: string | null
  closingReason: string | null
}

/** How a conflict was dealt with. */
export interface Closing {
  at: Date
  by: string
  reason: string
}

const conflictColumns = columns([
  'client_id',
  'id',
  'transaction_id',
  'kind',
  'details',
  'at',
  'closed_at',
  'closed_by',
  'closing_reason',
])

/**
 * Conflicts, oldest first and after one if it is given: the open ones, or with `isAll` those that
 * are closed too.
 */
export function readConflicts(
  db: Db,
  { isAll = false, after = null, limit }: { isAll?: boolean; after?: string | null; limit: number },
): Promise<Conflict[]> {
  return db<Conflict>`
    select ${conflictColumns} from conflicts
    where (closed_at is null or ${isAll}) and (${after}::uuid is null or id > ${after})
    order by id
    limit ${limit}`
}

export async function findConflict(db: Db, id: string): Promise<Conflict | undefined> {
  const [found] = await db<Conflict>`select ${conflictColumns} from conflicts where id = ${id}`
  return found
}

/** Closes those that are open; returns their clients and transactions. */
export function closeConflicts(
  tx: Tx,
  ids: string[],
  { at, by, reason }: Closing,
): Promise<{ clientId: number; transactionId: string }[]> {
  return tx`
    update conflicts set closed_at = ${at}, closed_by = ${by}, closing_reason = ${reason}
    where id = any(${ids}::uuid[]) and closed_at is null
    returning client_id as "clientId", transaction_id as "transactionId"`
}

/** Closes the conflict of a payment that came late, if it is open. */
export async function closeLatePayment(
  tx: Tx,
  { clientId, id }: TransactionId,
  reference: string,
  { at, by, reason }: Closing,
): Promise<void> {
  await tx`
    update conflicts set closed_at = ${at}, closed_by = ${by}, closing_reason = ${reason}
    where client_id = ${clientId} and transaction_id = ${id} and closed_at is null
      and details ->> 'reference' = ${reference}`
}

/** Money in suspense, by the transaction whose payer paid it. */
export interface SuspendedMoney {
  clientId: number
  transactionId: string | null
  /** Of that transaction. */
  serviceCode: string | null
  amount: number
  since: Date
  /** Tells it from the others of its client; of a stranger its statement and line. */
  attempt: string
  /** The provider's, of a stranger that a statement tells. */
  reference: string | null
}

/** All money in suspense, oldest first. */
export function readSuspense(db: Db): Promise<SuspendedMoney[]> {
  return db<SuspendedMoney>`
    with suspended as (
      select p.client_id, case p.client_id when ${ownClientId}
          then substring(p.ref from '^[^/]+/[^/]+') else split_part(p.ref, '/', 1) end as attempt,
        sum(e.amount)::bigint as amount,
        min(p.created_at) as since
      from ledger_entries e
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      where e.account = 'suspense'
      group by 1, 2
      having sum(e.amount) <> 0
    )
    select s.client_id as "clientId", a.transaction_id as "transactionId",
      coalesce(t.service_code, f.party) as "serviceCode", s.amount, s.since, s.attempt, f.reference
    from suspended s
    left join lateral (
      select transaction_id from attempts
      where client_id = s.client_id
        and id = substring(s.attempt from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid
      limit 1
    ) a on true
    left join lateral (
      select service_code from transactions
      where client_id = s.client_id and id = a.transaction_id
      limit 1
    ) t on true
    left join lateral (
      -- Of a statement's line that is none of ours.
      select concat(o.provider, '_', o.country, '_') as party, l.reference
      from statements o
      left join statement_lines l on l.statement_id = o.id
        and l.line::text = split_part(s.attempt, '/', 2)
      where s.client_id = ${ownClientId} and o.id::text = split_part(s.attempt, '/', 1)
    ) f on true
    order by s.since, s.client_id, s.attempt collate "C"`
}
