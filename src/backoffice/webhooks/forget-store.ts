import type { Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { type StoredEvent, storedEvent } from './operate-store.ts'

/** The next events of a client after a position, whatever their age. */
export function readNextEvents(
  tx: Tx,
  clientId: number,
  { after, limit }: { after: number; limit: number },
): Promise<StoredEvent[]> {
  return tx<StoredEvent>`
    select ${storedEvent} from events
    where client_id = ${clientId} and position > ${after}
    order by position
    limit ${limit}`
}

/** Events of a client by their positions. */
export function readEventsAt(
  tx: Tx,
  clientId: number,
  positions: number[],
): Promise<StoredEvent[]> {
  return tx<StoredEvent>`
    select ${storedEvent} from events
    where client_id = ${clientId} and position = any(${positions}::bigint[])
    order by position`
}

/** The events of transactions or links with an open conflict, up to a position. */
export async function findUnsettledBefore(
  tx: Tx,
  clientId: number,
  reached: number,
): Promise<number[]> {
  const rows = await tx<{ position: number }>`
    select e.position from conflicts c
    join transactions t on (t.client_id, t.id) = (c.client_id, c.transaction_id)
    join events e on e.client_id = c.client_id and e.record_id = coalesce(t.link_id, t.id)
    where c.client_id = ${clientId} and c.closed_at is null and e.position <= ${reached}`
  return rows.map(({ position }) => position)
}

/** Which of these events are being delivered, so that their bodies are still to be sent. */
export async function findUndelivered(
  tx: Tx,
  clientId: number,
  eventIds: string[],
): Promise<Set<string>> {
  const rows = await tx<{ id: string }>`
    select distinct d.event_id as id
    from unnest(${eventIds}::uuid[]) as w
    join deliveries d on d.event_id = w
    where d.client_id = ${clientId} and d.due_at is not null`
  return new Set(rows.map(({ id }) => id))
}

const bodyRows = rowsOf({ id: 'uuid', body: 'text' })

/** Writes bodies in which a pseudonym stands for the number; the database checks that. */
export async function replaceBodies(
  tx: Tx,
  clientId: number,
  events: Pick<StoredEvent, 'id' | 'body'>[],
): Promise<void> {
  await tx`
    update events e set body = n.body
    from ${bodyRows(events)} as n
    where e.client_id = ${clientId} and e.id = n.id`
}

/** The ids of a client's deliveries after one and before another, in the order of time. */
export async function readDeliveryIds(
  tx: Tx,
  clientId: number,
  range: { after: string; below: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }>`
    select id from deliveries
    where client_id = ${clientId} and id > ${range.after} and id < ${range.below}
    order by id
    limit ${range.limit}`
  return rows.map(({ id }) => id)
}

/** Which of these deliveries have ended. */
export async function findEndedDeliveries(
  tx: Tx,
  clientId: number,
  ids: string[],
): Promise<string[]> {
  const rows = await tx<{ id: string }>`
    select id from deliveries
    where client_id = ${clientId} and id = any(${ids}::uuid[]) and state <> 'pending'`
  return rows.map(({ id }) => id)
}

/** Removes what receivers answered; returns how many answers there were. */
export async function forgetAnswers(
  tx: Tx,
  clientId: number,
  deliveryIds: string[],
): Promise<number> {
  const rows = await tx`
    update delivery_attempts a set excerpt = ''
    from unnest(${deliveryIds}::uuid[]) as w
    where a.client_id = ${clientId} and a.delivery_id = w and a.excerpt <> ''
    returning a.number`
  return rows.length
}
