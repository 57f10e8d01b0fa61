import type { Db, Tx } from '../db/db.ts'
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

/** Conflicts, oldest first: the open ones, or with `isAll` those that are closed too. */
export function readConflicts(db: Db, isAll: boolean, limit: number): Promise<Conflict[]> {
  return db<Conflict>`
    select client_id as "clientId", id, transaction_id as "transactionId", kind, details, at,
      closed_at as "closedAt", closed_by as "closedBy", closing_reason as "closingReason"
    from conflicts
    where closed_at is null or ${isAll}
    order by at
    limit ${limit}`
}

/** Closes an open conflict; returns its client and transaction, undefined: there is none. */
export async function closeConflictById(
  tx: Tx,
  id: string,
  { at, by, reason }: Closing,
): Promise<{ clientId: number; transactionId: string } | undefined> {
  const [closed] = await tx<{ clientId: number; transactionId: string }>`
    update conflicts set closed_at = ${at}, closed_by = ${by}, closing_reason = ${reason}
    where id = ${id} and closed_at is null
    returning client_id as "clientId", transaction_id as "transactionId"`
  return closed
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
  amount: number
  since: Date
}

/** All money in suspense, oldest first. */
export function readSuspense(db: Db): Promise<SuspendedMoney[]> {
  return db<SuspendedMoney>`
    with suspended as (
      select p.client_id, split_part(p.ref, '/', 1) as attempt, sum(e.amount)::bigint as amount,
        min(p.created_at) as since
      from ledger_entries e
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      where e.account = 'suspense'
      group by 1, 2
      having sum(e.amount) <> 0
    )
    select s.client_id as "clientId", a.transaction_id as "transactionId", s.amount, s.since
    from suspended s
    left join attempts a on (a.client_id, a.id::text) = (s.client_id, s.attempt)
    order by s.since`
}
