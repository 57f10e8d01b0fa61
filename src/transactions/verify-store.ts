import type { Db } from '../kit/db.ts'
import type { Break } from '../ledger/break.ts'

/** Transactions that disagree with their money, their history or their refunds. */
export async function findTransactionBreaks(db: Db): Promise<Break[]> {
  const rows = await db<{ clientId: number; id: string; what: string }>`
    with judged as (
      select t.client_id, t.id, t.status, t.completed_at, t.operation, t.amount, t.refunded,
        count(*) filter (where p.kind in ('collect', 'capture')) as settled,
        count(*) filter (where p.kind = 'release') as released,
        -- Where its path ends; not by time, which is read before the row is locked.
        (select h.to_status from status_history h
          where (h.client_id, h.record_id) = (t.client_id, t.id) and not exists (
            select from status_history n where (n.client_id, n.record_id, n.from_status)
              = (h.client_id, h.record_id, h.to_status))
          limit 1) as told,
        (select coalesce(sum(r.amount), 0) from transactions r
          where (r.client_id, r.original_id) = (t.client_id, t.id)
            and r.status not in ('FAILED', 'CANCELLED')) as sent_back
      from transactions t
      left join ledger_postings p on p.client_id = t.client_id and p.ref = t.id::text
        and p.kind in ('collect', 'capture', 'release')
      group by t.client_id, t.id
    )
    select client_id as "clientId", id, what from judged
    cross join lateral (values
      (settled <> (status = 'SUCCESS')::integer,
        format('is %s and was settled %s times', status, settled)),
      (released <> (status in ('FAILED', 'CANCELLED') and operation <> 'CASHOUT')::integer,
        format('is %s and was released %s times', status, released)),
      (coalesce(told, case when operation = 'BILL' then 'PROCESSING' else 'PENDING' end)
        <> status, format('is %s, its history says %s', status, told)),
      ((completed_at is null) <> (status in ('PENDING', 'PROCESSING')),
        format('is %s and %s', status, coalesce('ended ' || completed_at, 'has no end'))),
      (refunded <> sent_back, format('counts %s refunded of %s', refunded, sent_back))
    ) as checks (is_broken, what)
    where is_broken
    limit 100`
  return rows.map(({ clientId, id, what }) => ({
    promise: 'transaction',
    clientId,
    where: `transaction ${id}`,
    what,
  }))
}
