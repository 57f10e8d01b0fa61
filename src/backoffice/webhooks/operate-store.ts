import { firstIdAt, lastId } from '#base/kit/ids.ts'
import { columns, type Db, fragment } from '#data/db/db.ts'
import type { DeliveryState } from './delivery-states.ts'
import type { EventRow } from './store.ts'

export interface DeliverySummary {
  id: string
  eventId: string
  /** What the event is about, as its body names it: type and status, the merchant's id, amount. */
  transactionType: string
  STATUS: string
  externalId: string | null
  amount: number
  url: string
  state: DeliveryState
  tries: number
  createdAt: Date
  dueAt: Date | null
  lastStatus: number | null
  lastProblem: string | null
}

const summary = fragment`
  d.id, d.event_id as "eventId", d.url, d.state, d.tries, d.created_at as "createdAt",
  d.due_at as "dueAt", a.http_status as "lastStatus", a.problem as "lastProblem",
  coalesce(t.operation, 'PAYMENT') as "transactionType", coalesce(t.status, l.status) as "STATUS",
  coalesce(t.external_id, l.external_id) as "externalId", coalesce(t.amount, l.amount) as amount
  from deliveries d
  join events e on (e.client_id, e.id) = (d.client_id, d.event_id)
  left join transactions t
    on e.record_kind <> 'link' and (t.client_id, t.id) = (e.client_id, e.record_id)
  left join links l on e.record_kind = 'link' and (l.client_id, l.id) = (e.client_id, e.record_id)
  left join delivery_attempts a
    on (a.client_id, a.delivery_id, a.number) = (d.client_id, d.id, d.tries)`

// Texts of the statement and not parameters: the few that were not delivered have indexes of their
// own, which only a constant can choose.
const ofState = {
  all: fragment`true`,
  pending: fragment`d.state = 'pending' and d.due_at is not null`,
  delivered: fragment`d.state = 'delivered'`,
  exhausted: fragment`d.state = 'exhausted'`,
  stopped: fragment`d.state = 'stopped'`,
  failed: fragment`d.state in ('exhausted', 'stopped')`,
} satisfies Record<DeliveryState | 'all' | 'failed', unknown>

/** The groups of deliveries that can be listed; `failed` are those that are not tried again. */
export type DeliveryGroup = keyof typeof ofState

/** A client's deliveries of a group, newest first, before one if it is given. */
export function readDeliveries(
  db: Db,
  list: { clientId: number; group: DeliveryGroup; before?: string; limit: number },
): Promise<DeliverySummary[]> {
  return db<DeliverySummary>`
    select ${summary}
    where d.client_id = ${list.clientId} and d.id < ${list.before ?? lastId}
      and ${ofState[list.group]}
    order by d.id desc
    limit ${list.limit}`
}

/** Deliveries of a client by their ids, the newest first. */
export function findDeliveries(
  db: Db,
  clientId: number,
  ids: string[],
): Promise<DeliverySummary[]> {
  return db<DeliverySummary>`
    select ${summary}
    where d.client_id = ${clientId} and d.id = any(${ids}::uuid[])
    order by d.id desc`
}

/** The deliveries of an event, the newest first. */
export function readDeliveriesOfEvent(
  db: Db,
  clientId: number,
  eventId: string,
): Promise<DeliverySummary[]> {
  return db<DeliverySummary>`
    select ${summary}
    where d.client_id = ${clientId} and d.event_id = ${eventId}
    order by d.id desc`
}

export interface AttemptSummary {
  deliveryId: string
  at: Date
  url: string
  number: number
  httpStatus: number | null
  durationMs: number
  problem: string | null
  excerpt: string
}

/** Every try to deliver an event, in the order of time. */
export function readAttempts(
  db: Db,
  { clientId, id }: { clientId: number; id: string },
): Promise<AttemptSummary[]> {
  return db<AttemptSummary>`
    select a.delivery_id as "deliveryId", a.at, d.url, a.number, a.http_status as "httpStatus",
      a.duration_ms as "durationMs", a.problem, a.excerpt
    from deliveries d
    join delivery_attempts a on (a.client_id, a.delivery_id) = (d.client_id, d.id)
    where d.client_id = ${clientId} and d.event_id = ${id}
    order by a.at, a.number`
}

/** An event with its stored body. */
export type StoredEvent = Pick<
  EventRow,
  'clientId' | 'id' | 'position' | 'recordKind' | 'recordId' | 'body' | 'createdAt'
>

export const storedEvent = columns([
  'client_id',
  'id',
  'position',
  'record_kind',
  'record_id',
  'body',
  'created_at',
])

/**
 * A client's events at positions of a window, newest first, with their stored bodies. A text that
 * must be in the body is looked for in that window alone, however long the history is; bodies that
 * are sealed pass if told.
 */
export function readEventWindow(
  db: Db,
  window: {
    clientId: number
    before: number
    from: number
    recordKind: string | null
    text: string
    isSealedToo: boolean
    limit: number
  },
): Promise<StoredEvent[]> {
  return db<StoredEvent>`
    select ${storedEvent} from events
    where client_id = ${window.clientId}
      and position < ${window.before} and position >= ${window.from}
      and (${window.recordKind}::text is null or record_kind = ${window.recordKind})
      and (strpos(body, ${window.text}) > 0 or ${window.isSealedToo} and left(body, 1) <> '{')
    order by position desc
    limit ${window.limit}`
}

/** An event of a client, with its stored body. */
export async function findEvent(
  db: Db,
  clientId: number,
  id: string,
): Promise<StoredEvent | undefined> {
  const [found] = await db<StoredEvent>`
    select ${storedEvent} from events where client_id = ${clientId} and id = ${id}`
  return found
}

/** An event of any client, with its stored body; for operators only. */
export async function findEventOwner(
  db: Db,
  id: string,
): Promise<{ clientId: number; id: string; body: string } | undefined> {
  const [found] = await db<{ clientId: number; id: string; body: string }>`
    select e.client_id as "clientId", e.id, e.body
    from clients c
    join events e on e.client_id = c.id and e.id = ${id}
    limit 1`
  return found
}

/**
 * The events of a client between two times, by position: those not delivered, or all; the first
 * ones if there are more than asked for. Ids begin with the time, so that others are not read.
 */
export async function readEventIds(
  db: Db,
  range: { clientId: number; from: Date; to: Date; isAll: boolean; limit: number },
): Promise<string[]> {
  const rows = await db<{ id: string }>`
    select id from (
      select e.id, e.position from events e
      where e.client_id = ${range.clientId}
        and e.id >= ${firstIdAt(range.from)} and e.id < ${firstIdAt(range.to)}
        and (${range.isAll} or not exists (
          select from deliveries d
          where (d.client_id, d.event_id) = (e.client_id, e.id) and d.state = 'delivered'))
      order by e.id
      limit ${range.limit}
    ) e
    order by position`
  return rows.map(({ id }) => id)
}

export interface Backlog {
  pending: number
  /** When the oldest of them was recorded; null: none waits. */
  oldestAt: Date | null
  exhausted: number
}

/** How many deliveries wait for a try, and how many were given up since a time. */
export async function countBacklog(db: Db, since: Date): Promise<Backlog> {
  const [row] = await db<Backlog>`
    select count(*) as pending, min(created_at) as "oldestAt",
      (select count(*) from deliveries where state = 'exhausted' and ended_at >= ${since})
        as exhausted
    from deliveries where due_at is not null`
  return row ?? { pending: 0, oldestAt: null, exhausted: 0 }
}

/** The same for one client; each number is counted up to 1,000. */
export async function countBacklogOf(db: Db, clientId: number, since: Date): Promise<Backlog> {
  const [row] = await db<Backlog>`
    select count(*) as pending, min(created_at) as "oldestAt", (
      select count(*) from (
        select from deliveries
        where client_id = ${clientId} and state = 'exhausted' and ended_at >= ${since}
        limit 1000) failed) as exhausted
    from (
      select created_at from deliveries
      where client_id = ${clientId} and due_at is not null
      limit 1000) waiting`
  return row ?? { pending: 0, oldestAt: null, exhausted: 0 }
}
