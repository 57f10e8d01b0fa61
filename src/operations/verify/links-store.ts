import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

/** Links that do not match their payments or their status history. */
export async function findLinkBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<{ clientId: number; id: string; what: string }>`
    with counted as (
      select l.client_id, l.id, l.status, l.completed_at, l.attempts, l.open_id, l.paid_id,
        count(t.id) as payments,
        count(*) filter (where t.status = 'SUCCESS') as paid,
        count(*) filter (where t.status = 'SUCCESS' and t.id = l.paid_id) as paid_by_paid_id,
        count(t.id) filter (where t.completed_at is null) as open,
        count(*) filter (where t.completed_at is null and t.id = l.open_id) as open_by_open_id,
        count(*) filter (where t.amount <> l.amount or t.operation <> 'CASHOUT')
          as foreign_payments,
        (select string_agg(h.to_status, ', ' order by h.at) from status_history h
          where (h.client_id, h.record_id) = (l.client_id, l.id)) as history
      from links l
      left join transactions t on (t.client_id, t.link_id) = (l.client_id, l.id)
      group by l.client_id, l.id
    )
    select client_id as "clientId", id, what from counted
    cross join lateral (values
      (paid <> (status = 'SUCCESS')::integer, format('is %s and was paid %s times', status, paid)),
      (paid <> paid_by_paid_id, 'was paid by another payment than it says'),
      (open <> (open_id is not null)::integer, format('has %s payments under way', open)),
      (open <> open_by_open_id, 'has another payment under way than it says'),
      (payments <> attempts, format('counts %s payments of %s', attempts, payments)),
      (foreign_payments > 0,
        format('has %s payments of something else', foreign_payments)),
      (coalesce(history, 'PENDING') <> status,
        format('is %s, its history says %s', status, history)),
      ((completed_at is null) <> (status = 'PENDING'),
        format('is %s and %s', status, coalesce('ended ' || completed_at, 'has no end')))
    ) as checks (is_broken, what)
    where is_broken
    limit 100`,
  )
  return rows.map(({ clientId, id, what }) => ({
    promise: 'link',
    clientId,
    where: `link ${id}`,
    what,
  }))
}
