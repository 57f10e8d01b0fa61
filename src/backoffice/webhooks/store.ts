import { columns, type Db, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import { type DeliveryState, deliverySteps } from './delivery-states.ts'

export interface EventRow {
  clientId: number
  id: string
  position: number
  /** The key that created the record. */
  keyId: string
  recordKind: 'transaction' | 'bill' | 'link'
  recordId: string
  body: string
  createdAt: Date
}

/** An event that has no position yet. */
export interface NewEvent extends Omit<EventRow, 'position'> {
  /** How many events of the same client follow it in the same statement. */
  laterInBatch: number
}

/** A delivery that is leased to this process, with everything a try needs. */
export interface Job {
  clientId: number
  id: string
  eventId: string
  /** The transaction or link that the event is about. */
  recordId: string
  /** Whether its recharge code was added after the first deliveries. */
  isCompleted: boolean
  endpoint: string
  url: string
  body: string
  tries: number
  /** Until then no other process claims it. */
  leaseEndsAt: Date
}

const eventColumns = columns([
  'client_id',
  'id',
  'position',
  'key_id',
  'record_kind',
  'record_id',
  'body',
  'created_at',
])
const eventRows = rowsOf({
  clientId: 'integer',
  id: 'uuid',
  laterInBatch: 'integer',
  keyId: 'uuid',
  recordKind: 'text',
  recordId: 'uuid',
  body: 'text',
  createdAt: 'timestamptz',
})
const jobRows = rowsOf({
  clientId: 'integer',
  id: 'uuid',
  eventId: 'uuid',
  endpoint: 'text',
  url: 'text',
  leaseEndsAt: 'timestamptz',
})
const leaseRows = rowsOf({ clientId: 'integer', id: 'uuid', leaseEndsAt: 'timestamptz' })
const attemptRows = rowsOf({
  clientId: 'integer',
  deliveryId: 'uuid',
  number: 'smallint',
  at: 'timestamptz',
  httpStatus: 'integer',
  durationMs: 'integer',
  problem: 'text',
  excerpt: 'text',
  state: 'text',
  dueAt: 'timestamptz',
})

/**
 * Writes events at the next positions of their clients, in client order. The counters stay locked
 * until the commit, so that no lower position can be committed after a higher one.
 */
export async function insertEvents(tx: Tx, events: NewEvent[]): Promise<void> {
  await tx`
    with new as materialized (
      select * from ${eventRows(events)} as e
    ), taken as (
      insert into event_positions as p (client_id, last)
      select "clientId", count(*) from new group by "clientId" order by "clientId"
      on conflict (client_id) do update set last = p.last + excluded.last
      returning client_id, last
    )
    insert into events (
      client_id, id, position, key_id, record_kind, record_id, body, created_at)
    select "clientId", id, last - "laterInBatch", "keyId", "recordKind", "recordId", body,
      "createdAt"
    from new join taken on client_id = "clientId"`
}

/** Locks the event of a record. */
export async function lockEventOf(
  tx: Tx,
  clientId: number,
  recordId: string,
): Promise<EventRow | undefined> {
  const [found] = await tx<EventRow>`
    select ${eventColumns} from events
    where client_id = ${clientId} and record_id = ${recordId} for update`
  return found
}

/** Replaces the stored body of an event by one to which its code was added. */
export async function completeEvent(
  tx: Tx,
  { clientId, id, body }: Pick<NewEvent, 'clientId' | 'id' | 'body'>,
): Promise<void> {
  await tx`
    update events set body = ${body}, is_completed = true
    where client_id = ${clientId} and id = ${id}`
}

/** Writes new deliveries, due when their leases end. */
export async function insertDeliveries(tx: Tx, jobs: Job[], now: Date): Promise<void> {
  await tx`
    insert into deliveries (client_id, id, event_id, endpoint, url, state, due_at, created_at)
    select "clientId", id, "eventId", endpoint, url, 'pending', "leaseEndsAt", ${now}
    from ${jobRows(jobs)} as d
    on conflict (client_id, id) do nothing`
}

const releasedAtOnce = 1000

/** Makes deliveries due that this process has leased and not tried; leases of others stay. */
export async function releaseDeliveries(db: Db, jobs: Job[], now: Date): Promise<void> {
  for (let at = 0; at < jobs.length; at += releasedAtOnce)
    await db`
      update deliveries d set due_at = ${now}
      from ${leaseRows(jobs.slice(at, at + releasedAtOnce))} as job
      where (d.client_id, d.id) = (job."clientId", job.id) and d.due_at = job."leaseEndsAt"`
}

export interface AttemptRow {
  clientId: number
  deliveryId: string
  number: number
  at: Date
  httpStatus: number | null
  durationMs: number
  problem: string | null
  excerpt: string
  state: DeliveryState
  dueAt: Date | null
}

/**
 * Writes attempts and the new states of their deliveries in one statement. An attempt that is
 * already recorded changes nothing.
 */
export async function insertAttempts(db: Db, attempts: AttemptRow[], now: Date): Promise<void> {
  await db`
    with attempt as (
      select * from ${attemptRows(attempts)} as a
    ), kept as (
      insert into delivery_attempts (
        client_id, delivery_id, number, at, http_status, duration_ms, problem, excerpt)
      select "clientId", "deliveryId", number, at, "httpStatus", "durationMs", problem, excerpt
      from attempt
      on conflict (client_id, delivery_id, number) do nothing
    )
    update deliveries d
    set ${deliverySteps.setAs('d', 'attempt')}, tries = attempt.number,
      due_at = attempt."dueAt",
      ended_at = case when attempt."dueAt" is null then ${now}::timestamptz end
    from attempt
    where (d.client_id, d.id) = (attempt."clientId", attempt."deliveryId")
      and case d.state when 'pending' then d.tries < attempt.number end`
}

/**
 * The events that a key sees after a position, in the order of their commits. Two statements, each
 * with an index: the events of one key may be few among those of its client.
 */
export function readEvents(
  run: Db | Tx,
  { clientId, keyId, scope }: Viewer,
  afterPosition: number,
  limit: number,
): Promise<EventRow[]> {
  return scope === 'client'
    ? run<EventRow>`
        select ${eventColumns} from events
        where client_id = ${clientId} and position > ${afterPosition}
        order by position limit ${limit}`
    : run<EventRow>`
        select ${eventColumns} from events
        where client_id = ${clientId} and key_id = ${keyId} and position > ${afterPosition}
        order by position limit ${limit}`
}

/** The last position of each of these clients. */
export async function readPositions(db: Db, clientIds: number[]): Promise<Map<number, number>> {
  const rows = await db<{ clientId: number; last: number }>`
    select client_id as "clientId", last from event_positions
    where client_id = any(${clientIds}::integer[])`
  return new Map(rows.map(({ clientId, last }) => [clientId, last]))
}

export interface EventTarget {
  id: string
  recordId: string
  keyId: string
  body: string
  isCompleted: boolean
  url: string | null
}

/** Events with their stored bodies, keys and addresses: of the last delivery, else the client's. */
export function findEventTargets(
  db: Db,
  clientId: number,
  eventIds: string[],
): Promise<EventTarget[]> {
  return db<EventTarget>`
    select e.id, e.record_id as "recordId", e.body, e.key_id as "keyId",
      e.is_completed as "isCompleted", coalesce((
      select url from deliveries d where (d.client_id, d.event_id) = (e.client_id, e.id)
      order by created_at desc limit 1
    ), c.callback_url) as url
    from events e join clients c on c.id = e.client_id
    where e.client_id = ${clientId} and e.id = any(${eventIds}::uuid[])
    order by e.position`
}
