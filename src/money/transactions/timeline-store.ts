import type { Db } from '#data/db/db.ts'
import type { Transaction, TransactionId } from './transaction.ts'

/** The transaction with our id, whichever client's it is; for operators only. */
export async function findOwn(db: Db, id: string): Promise<TransactionId | undefined> {
  // Client by client: the primary keys begin with the client, and there are few clients.
  const [found] = await db<TransactionId>`
    select t.client_id as "clientId", t.id
    from clients c
    cross join lateral (
      select client_id, id from transactions where client_id = c.id and id = ${id}::uuid
    ) t`
  return found
}

/** A transaction that bears an external id, and whose it is. */
export interface Bearer extends TransactionId {
  clientName: string
}

/** The transactions of all clients, or of one, with an external id. */
export function findBearers(
  db: Db,
  externalId: string,
  clientId: number | null,
): Promise<Bearer[]> {
  return db<Bearer>`
    select c.id as "clientId", c.name as "clientName", e.record_id as id
    from clients c
    join external_ids e on e.client_id = c.id and e.external_id = ${externalId}
      and e.record_kind = 'transaction'
    where c.id = coalesce(${clientId}::integer, c.id)
    order by c.id`
}

export interface OpenRow extends TransactionId {
  status: string
  attemptState: string
  operation: Transaction['operation']
  serviceCode: string
  amount: number
  createdAt: Date
  dueAt: Date | null
  /** Why neither asking nor repeating has ended it. */
  cause: 'other_amount' | 'cannot_ask' | 'not_ended' | 'no_code'
  /** What was heard last of it: from whom, an outcome, and the reason that was given with it. */
  last: { source: string; outcome: string; reason: string | null } | null
}

/**
 * Transactions that only an operator can end, those from before `openSince` that asking and
 * repeating has not ended: a statement of the provider can; and top-ups that ended without their
 * code. Oldest first, after one if it is given.
 */
export function readParked(
  db: Db,
  { openSince, after = null, limit }: { openSince: Date; after?: string | null; limit: number },
): Promise<OpenRow[]> {
  return db<OpenRow>`
    select client_id as "clientId", id, status, attempt_state as "attemptState", operation,
      service_code as "serviceCode", amount, created_at as "createdAt", due_at as "dueAt",
      case when completed_at is not null then 'no_code'
        when attempt_state = 'parked' then 'other_amount'
        when due_at is null then 'cannot_ask'
        else 'not_ended' end as cause, (
        select jsonb_build_object(
          'source', source, 'outcome', outcome, 'reason', details ->> 'reason')
        from evidence e
        where (e.client_id, e.transaction_id) = (t.client_id, t.id)
        order by e.id desc limit 1) as last
    from transactions t
    where (completed_at is null and due_at is null
      or due_at is not null and completed_at is null and created_at < ${openSince}
      or due_at is not null and completed_at is not null)
      and (${after}::uuid is null or id > ${after})
    order by id
    limit ${limit}`
}

export interface Troubles {
  parked: number
  conflicts: number
  /** The sum of the suspense account. */
  suspense: number
}

/** Counts what waits for an operator. */
export async function countTroubles(db: Db): Promise<Troubles> {
  const [row] = await db<Troubles>`
    select
      (select count(*) from transactions where completed_at is null and due_at is null) as parked,
      (select count(*) from conflicts where closed_at is null) as conflicts,
      (select coalesce(sum(amount), 0)::bigint from ledger_entries where account = 'suspense')
        as suspense`
  return row ?? { parked: 0, conflicts: 0, suspense: 0 }
}
