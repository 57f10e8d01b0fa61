import type { Tx } from '#data/db/db.ts'
import type { TransactionId } from './transaction.ts'

/** Money that a provider received for a collection, but not as the payment that it succeeded by. */
export interface LateMoney {
  /** What its posting to suspense refers to. */
  ref: string
  amount: number
  /** The provider's reference of that payment. */
  reference: string
  /** It has left suspense, by an `explain` posting. */
  isExplained: boolean
  /** A refund of it is under way, or has succeeded. */
  isSentBack: boolean
}

/**
 * The late money of a collection, newest first. The first payment that was reported for an attempt
 * is suspended under the attempt's id, each further one under its reference too. A refund without
 * `late_reference` sends back the payment of its original, unless that came to nothing.
 */
export function readLateMoney(tx: Tx, { clientId, id }: TransactionId): Promise<LateMoney[]> {
  return tx<LateMoney>`
    with payments as (
      select attempt_id, details ->> 'reference' as reference, min(v.id) as first
      from evidence v
      where client_id = ${clientId} and transaction_id = ${id} and outcome = 'succeeded'
        and source <> 'operator'
      group by 1, 2
    ), named as (
      select reference, first, case first
          when min(first) over (partition by attempt_id) then attempt_id::text
          else concat(attempt_id, '/', reference) end as ref
      from payments
    )
    select n.ref, n.reference, e.amount, x.id is not null as "isExplained", exists (
        select from transactions r join transactions o on o.client_id = r.client_id
          and o.id = r.original_id
        where r.client_id = ${clientId} and r.original_id = ${id}
          and r.status not in ('FAILED', 'CANCELLED')
          and case when r.late_reference is null then o.status <> 'SUCCESS'
            else r.late_reference = n.reference end) as "isSentBack"
    from named n
    join ledger_postings p on p.client_id = ${clientId} and p.kind = 'suspend' and p.ref = n.ref
    join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
      and e.account = 'suspense'
    left join ledger_postings x on x.client_id = ${clientId} and x.kind = 'explain'
      and x.ref = n.ref
    order by n.first desc`
}

/** Whether late money of a transaction is being sent back. */
export async function isBeingSentBack(tx: Tx, { clientId, id }: TransactionId): Promise<boolean> {
  const rows = await tx`
    select 1 from transactions r
    join transactions o on o.client_id = r.client_id and o.id = r.original_id
    where r.client_id = ${clientId} and r.original_id = ${id} and r.completed_at is null
      and (r.late_reference is not null or o.status <> 'SUCCESS')`
  return rows.length > 0
}
