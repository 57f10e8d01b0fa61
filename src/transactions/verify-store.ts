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
            and r.status not in ('FAILED', 'CANCELLED')) as sent_back,
        -- What there was to send back: the payment, or money that came after it had failed.
        case when t.status = 'SUCCESS' then t.amount when t.refunded = 0 then 0 else (
          select coalesce(sum(e.amount), 0) from attempts a
          join ledger_postings x on x.client_id = a.client_id and x.kind = 'explain'
            and x.ref = a.id::text
          join ledger_entries e on (e.client_id, e.posting_id) = (x.client_id, x.id)
            and e.account = 'available'
          where (a.client_id, a.transaction_id) = (t.client_id, t.id)) end as refundable
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
      (refunded <> sent_back, format('counts %s refunded of %s', refunded, sent_back)),
      (refunded > refundable, format('has %s refunded of at most %s', refunded, refundable))
    ) as checks (is_broken, what)
    where is_broken
    limit 100`
  const breaks = rows.map(({ clientId, id, what }) => ({
    promise: 'transaction' as const,
    clientId,
    where: `transaction ${id}`,
    what,
  }))
  return [...breaks, ...(await findWrongExplanations(db))]
}

/** Money leaves suspense as it came there: once, whole, and only if it came. */
async function findWrongExplanations(db: Db): Promise<Break[]> {
  const rows = await db<{ clientId: number; ref: string; left: number }>`
    select x.client_id as "clientId", x.ref, sum(e.amount)::bigint as left
    from ledger_postings x
    join ledger_postings p on p.client_id = x.client_id and p.ref = x.ref
      and p.kind in ('explain', 'suspend')
    join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
      and e.account = 'suspense'
    where x.kind = 'explain'
    group by x.client_id, x.ref
    having sum(e.amount) <> 0
    limit 100`
  return rows.map(({ clientId, ref, left }) => ({
    promise: 'transaction',
    clientId,
    where: `attempt ${ref}`,
    what: `was explained, and leaves ${left} in suspense`,
  }))
}
