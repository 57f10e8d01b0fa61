import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

/**
 * Ended records without an event, events of open records or with another key than their record, and
 * gaps in events' positions.
 */
export async function findEventBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<{ clientId: number; where: string; what: string }>`
    select t.client_id as "clientId", 'transaction ' || t.id as where,
      case when e.id is null then 'ended without an event'
        when t.completed_at is null then 'has an event and no end'
        else 'has an event of another key' end as what
    from transactions t
    left join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
    where t.link_id is null
      and ((t.completed_at is null) <> (e.id is null) or e.key_id <> t.key_id)
    union all
    select l.client_id, 'link ' || l.id,
      case when e.id is null then 'ended without an event'
        when l.completed_at is null then 'has an event and no end'
        else 'has an event of another key' end
    from links l
    left join events e on (e.client_id, e.record_id) = (l.client_id, l.id)
    where (l.completed_at is null) <> (e.id is null) or e.key_id <> l.key_id
    union all
    select p.client_id, 'events', format('end at %s, counted %s', p.last, count(e.id))
    from event_positions p
    left join events e on e.client_id = p.client_id
    group by p.client_id
    having count(e.id) <> p.last or coalesce(max(e.position), 0) <> p.last
    limit 100`,
  )
  return rows.map((row) => ({ promise: 'event', ...row }))
}
