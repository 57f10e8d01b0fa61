import type { Db } from '../db/db.ts'
import type { Transaction } from '../transactions/transaction.ts'

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
  /** Counted without an event: payments that failed on links which are open for another one. */
  isPassing: boolean
}

/** Figures, and the last event that they count. */
export interface Days {
  position: number
  figures: DayFigure[]
}

/** How many events after the last that is summed up are added at once. */
export const tailMax = 20_000

/**
 * The figures of a client's last days, in the days of a zone: from the hours that are summed up,
 * and the transactions that ended since then. In one statement, so that none is counted twice.
 */
export async function readDays(
  db: Db,
  { clientId, zone, now, days }: { clientId: number; zone: string; now: Date; days: number },
): Promise<Days> {
  const rows = await db<DayFigure & { position: number; day: string | null }>`
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
      select hour, operation, service_code, status, count, amount, fee, false as passing
      from transaction_hours
      where client_id = ${clientId} and hour >= (select starts[1] from days)
      union all
      select t.created_at, t.operation, t.service_code, t.status, 1, t.amount,
        case when t.status = 'SUCCESS' then t.fee else 0 end, t.passing
      from (
        select t.*, false as passing from tail
        join transactions t on t.client_id = ${clientId} and t.id = record_id
        where record_kind <> 'link'
        union all
        select t.*, false from tail
        join transactions t on t.client_id = ${clientId} and t.link_id = record_id
        where record_kind = 'link'
        union all
        select t.*, true from links l
        join transactions t on t.client_id = ${clientId} and t.link_id = l.id
        where l.client_id = ${clientId} and l.completed_at is null and l.attempts > 0
          and t.completed_at is not null
      ) t
      where t.created_at >= (select starts[1] from days)
    ), sums as (
      -- A look among the starts of the days costs less than the date of each hour in the zone.
      select width_bucket(hour, (select starts from days)) as number, operation, service_code,
        status, passing, sum(count)::bigint as count, sum(amount)::bigint as amount,
        sum(fee)::bigint as fee
      from hours
      group by 1, 2, 3, 4, 5
    )
    select p.position, to_char((select day from first) + make_interval(days => number - 1),
        'YYYY-MM-DD') as day, operation, service_code as "serviceCode", status, count, amount, fee,
      passing as "isPassing"
    from (
      select coalesce((select max(position) from tail),
        (select position from summary_cursors where client_id = ${clientId}), 0) as position
    ) p left join sums on true
    order by 2, 3, 4, 5`
  // Without figures there is one row, for the position.
  const figures = rows.filter(({ day }) => day !== null)
  return { position: rows[0]?.position ?? 0, figures }
}

/** A client whose figures are known up to an event, in the days of a zone. */
export interface KnownDays {
  clientId: number
  zone: string
  position: number
}

/** What was added to a day. */
export interface AddedDay extends Sums {
  /** Of the client that was asked for in this place, from 1. */
  number: number
  /** How many events were read, and the position of the last one; null: of none. */
  events: number | null
  position: number | null
  /** Null: nothing was added. */
  day: string | null
  isPassing: boolean
}

/** Sums over transactions that have ended. */
export interface Sums {
  ended: number
  succeeded: number
  /** The amounts of those that succeeded, and what was charged for them. */
  amount: number
  fee: number
}

/**
 * What ended of clients since the last events that are known, by day, for all of them in one
 * statement. What is passing is read anew each time: its events come later.
 */
export function readAdded(db: Db, known: KnownDays[], limit: number): Promise<AddedDay[]> {
  const clientIds = known.map(({ clientId }) => clientId)
  const zones = known.map(({ zone }) => zone)
  const positions = known.map(({ position }) => position)
  return db<AddedDay>`
    with known as materialized (
      select * from unnest(${clientIds}::integer[], ${zones}::text[], ${positions}::bigint[])
        with ordinality as k (client_id, zone, position, number)
    ), tail as materialized (
      select k.number, k.client_id, k.zone, e.position, record_kind, record_id
      from known k
      cross join lateral (
        select position, record_kind, record_id from events
        where client_id = k.client_id and position > k.position
        order by position
        limit ${limit}
      ) e
    ), ended as (
      select number, zone, false as passing, t.created_at, t.status, t.amount, t.fee
      from tail k
      cross join lateral (
        select created_at, status, amount, fee from transactions
        where client_id = k.client_id and id = record_id
        -- Keeps the planner from reading all transactions.
        limit 1
      ) t
      where record_kind <> 'link'
      union all
      select number, zone, false, t.created_at, t.status, t.amount, t.fee
      from tail k
      join transactions t on t.client_id = k.client_id and t.link_id = record_id
      where record_kind = 'link'
      union all
      select number, zone, true, t.created_at, t.status, t.amount, t.fee
      from known k
      join links l on l.client_id = k.client_id and l.completed_at is null and l.attempts > 0
      join transactions t on t.client_id = k.client_id and t.link_id = l.id
        and t.completed_at is not null
    ), sums as (
      select number, passing, (created_at at time zone zone)::date as day, count(*) as ended,
        count(*) filter (where status = 'SUCCESS') as succeeded,
        coalesce(sum(amount) filter (where status = 'SUCCESS'), 0)::bigint as amount,
        coalesce(sum(fee) filter (where status = 'SUCCESS'), 0)::bigint as fee
      from ended
      group by 1, 2, 3
    )
    select k.number, t.events, t.position, to_char(day, 'YYYY-MM-DD') as day,
      passing as "isPassing", ended, succeeded, amount, fee
    from known k
    left join (
      select number, count(*) as events, max(position) as position from tail group by 1
    ) t using (number)
    left join sums using (number)`
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
