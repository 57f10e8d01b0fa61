import type { Tx } from '../db/db.ts'
import type { TransactionId } from './transaction.ts'

/** Money that a provider received for a collection after the collection had ended. */
export interface LateMoney {
  attemptId: string
  amount: number
  /** It has left suspense, by an `explain` posting. */
  isExplained: boolean
  /** The provider's reference of that payment. */
  reference: string | null
}

/** The late money of a collection, by attempt, newest first. */
export function readLateMoney(tx: Tx, { clientId, id }: TransactionId): Promise<LateMoney[]> {
  return tx<LateMoney>`
    select a.id as "attemptId", e.amount, x.id is not null as "isExplained", (
        select v.details ->> 'reference' from evidence v
        where v.client_id = a.client_id and v.transaction_id = a.transaction_id
          and v.attempt_id = a.id and v.outcome = 'succeeded'
        order by v.at desc limit 1) as reference
    from attempts a
    join ledger_postings p on p.client_id = a.client_id and p.kind = 'suspend'
      and p.ref = a.id::text
    join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
      and e.account = 'suspense'
    left join ledger_postings x on x.client_id = a.client_id and x.kind = 'explain'
      and x.ref = a.id::text
    where a.client_id = ${clientId} and a.transaction_id = ${id}
    order by a.number desc`
}

/** Whether a refund of a transaction is under way. */
export async function hasOpenRefund(tx: Tx, { clientId, id }: TransactionId): Promise<boolean> {
  const rows = await tx`
    select 1 from transactions
    where client_id = ${clientId} and original_id = ${id} and completed_at is null`
  return rows.length > 0
}
