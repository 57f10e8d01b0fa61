import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

interface Row {
  clientId: number
  where: string
  what: string
}

/**
 * Days of limits whose sums are not those of their transactions. A day that was last summed up
 * while processes may not have known the limit yet is left out: the next payment sums it up again.
 */
export async function findLimitBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<Row>`
      select d.client_id as "clientId", format('limit of %s on %s', d.scope, d.day) as where,
        format('counts %s of %s F; there are %s of %s F', d.count, d.amount, t.count, t.amount)
          as what
      from limit_days d
      join daily_limits l using (client_id, scope)
      cross join lateral (
        select count(*) as count, coalesce(sum(amount), 0) as amount
        from transactions
        where client_id = d.client_id
          and created_at >= d.day::timestamp at time zone d.zone
          and created_at < (d.day + 1)::timestamp at time zone d.zone
          and status not in ('FAILED', 'CANCELLED') and late_reference is null
          and (case when d.scope = 'REFUND' then operation = 'REFUND'
            else service_code = d.scope and operation <> 'REFUND' end)
      ) t
      -- A day that was counted by another zone was cut short by it.
      where d.zone = limit_zone(d.scope) and d.counted_at >= l.since + interval '10 seconds'
        and (d.count, d.amount) <> (t.count, t.amount)
      limit 100`,
  )
  return rows.map((row) => ({ promise: 'limit', ...row }))
}
