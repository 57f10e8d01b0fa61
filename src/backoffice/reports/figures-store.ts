import type { Db } from '#data/db/db.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

/** What ended of the transactions created on a day, in one service and with one outcome. */
export interface DayFigure {
  /** YYYY-MM-DD in the zone that was asked for. */
  day: string
  operation: Transaction['operation']
  serviceCode: string
  status: 'SUCCESS' | 'FAILED' | 'CANCELLED'
  count: number
  amount: number
  /** What was charged. */
  fee: number
}

/** How many events after the last that is summed up are added at once. */
export const tailMax = 20_000

/**
 * The figures of a client's last days, in the days of a zone: from the hours that are summed up,
 * and the transactions that ended since then. In one statement, so that none is counted twice.
 */
export function readDays(
  db: Db,
  { clientId, zone, now, days }: { clientId: number; zone: string; now: Date; days: number },
): Promise<DayFigure[]> {
  return db<DayFigure>`
    with first as (
      select date_trunc('day', ${now}::timestamptz at time zone ${zone})
        - make_interval(days => ${days - 1}) as day
    ), days as materialized (
      select array_agg((day + make_interval(days => number)) at time zone ${zone}
        order by number) as starts
      from first, generate_series(0, ${days - 1}::integer) as number
    ), tail as materialized (
      select position, record_kind, record_id from events
      where client_id = ${clientId} and position > coalesce(
        (select position from summary_cursors where client_id = ${clientId}), 0)
      order by position
      limit ${tailMax}
    ), hours as (
      select hour, operation, service_code, status, count, amount, fee
      from transaction_hours
      where client_id = ${clientId} and hour >= (select starts[1] from days)
      union all
      select t.created_at, t.operation, t.service_code, t.status, 1, t.amount,
        case when t.status = 'SUCCESS' then t.fee else 0 end
      from (
        select t.* from tail
        join transactions t on t.client_id = ${clientId} and t.id = record_id
        where record_kind <> 'link'
        union all
        select t.* from tail
        join transactions t on t.client_id = ${clientId} and t.link_id = record_id
        where record_kind = 'link'
        union all
        -- They failed on links that are open for another one, and have no event of their own.
        select t.* from links l
        join transactions t on t.client_id = ${clientId} and t.link_id = l.id
        where l.client_id = ${clientId} and l.completed_at is null and l.attempts > 0
          and t.completed_at is not null
      ) t
      where t.created_at >= (select starts[1] from days)
    ), sums as (
      -- A look among the starts of the days costs less than the date of each hour in the zone.
      select width_bucket(hour, (select starts from days)) as number, operation, service_code,
        status, sum(count)::bigint as count, sum(amount)::bigint as amount, sum(fee)::bigint as fee
      from hours
      group by 1, 2, 3, 4
    )
    select to_char((select day from first) + make_interval(days => number - 1),
        'YYYY-MM-DD') as day, operation, service_code as "serviceCode", status, count, amount, fee
    from sums order by 1, 2, 3, 4`
}

/** How far the hours of a client are behind its events. */
export async function countTail(db: Db, clientId: number): Promise<number> {
  const [row] = await db<{ behind: number }>`
    select p.last - coalesce(s.position, 0) as behind
    from event_positions p left join summary_cursors s using (client_id)
    where p.client_id = ${clientId}`
  return row?.behind ?? 0
}

/** How many of a client's transactions have not ended; counted up to a maximum. */
export async function countOpen(db: Db, clientId: number, countMax: number): Promise<number> {
  const [row] = await db<{ count: number }>`
    select count(*) from (
      select from transactions where client_id = ${clientId} and completed_at is null
      limit ${countMax}) open`
  return row?.count ?? 0
}
