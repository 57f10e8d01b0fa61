import { type Db, fragment } from '#data/db/db.ts'
import type { Job } from './store.ts'

interface FairClaim {
  now: Date
  leaseEndsAt: Date
  /** The most rows of one endpoint, so that one with many due rows leaves room for the others. */
  perEndpoint: number
  limit: number
  /** Endpoints (`client origin`) whose queues in this process are half full: not claimed now. */
  busyEndpoints: string[]
  /** What a process keeps between its claims. */
  turn: ClaimTurn
}

/** Where the next claim goes on. */
export interface ClaimTurn {
  /** The client that the last full claim ended with. */
  clientId: number
  /** The last endpoint that was looked at, of clients that have more than one claim looks at. */
  endpoints: Map<number, string>
}

/** The first claim begins with the first of all. */
export function firstTurn(): ClaimTurn {
  return { clientId: 0, endpoints: new Map() }
}

type Mark = Pick<Job, 'clientId' | 'endpoint'>

/** The clients that have pending deliveries, for a recursive query named `found`. */
const withPending = fragment`
  (select client_id from deliveries where due_at is not null order by client_id limit 1)
  union all
  select n.client_id
  from found f
  cross join lateral (
    select client_id from deliveries
    where due_at is not null and client_id > f.client_id
    order by client_id limit 1
  ) n`

// Of each client. Whoever has more waits for its further endpoints, and nobody else does.
const endpointsMax = 500

/**
 * Claims due deliveries endpoint by endpoint, client by client, in their turn. Recursive queries
 * find each client and each endpoint with one index lookup, so that the cost does not grow with the
 * rows of an endpoint, nor, from a number on, with the endpoints of a client.
 */
export async function claimDeliveries(db: Db, claim: FairClaim): Promise<Job[]> {
  const { turn } = claim
  const rows = await db<Job & { isMark: boolean }>`
    with recursive found as (${withPending}), clients as materialized (
      select f.client_id, coalesce(r.endpoint, '') as endpoint
      from found f
      left join unnest(
        ${[...turn.endpoints.keys()]}::integer[], ${[...turn.endpoints.values()]}::text[]
      ) as r (client_id, endpoint) on r.client_id = f.client_id
      order by f.client_id <= ${turn.clientId}, f.client_id
    ), endpoints as materialized (
      select c.client_id, own.endpoint, own.nth
      from clients c
      cross join lateral (
        with recursive walk as (
          (select endpoint, 1 as nth from deliveries
            where client_id = c.client_id and due_at is not null and endpoint > c.endpoint
            order by endpoint limit 1)
          union all
          select n.endpoint, w.nth + 1
          from walk w
          cross join lateral (
            select endpoint from deliveries
            where client_id = c.client_id and due_at is not null and endpoint > w.endpoint
            order by endpoint limit 1
          ) n
          where w.nth < ${endpointsMax}
        )
        select endpoint, nth from walk
      ) own
    ), due as materialized (
      select d.client_id, d.id
      from endpoints e
      cross join lateral (
        select client_id, id from deliveries
        where client_id = e.client_id and endpoint = e.endpoint and due_at <= ${claim.now}
        order by due_at
        limit ${claim.perEndpoint}
        for update skip locked
      ) d
      where concat(e.client_id, ' ', e.endpoint) <> all(${claim.busyEndpoints}::text[])
      limit ${claim.limit}
    ), claimed as (
      update deliveries d set due_at = ${claim.leaseEndsAt}
      from due, events e
      where (d.client_id, d.id) = (due.client_id, due.id)
        and (e.client_id, e.id) = (d.client_id, d.event_id)
      returning d.client_id as "clientId", d.id, d.event_id as "eventId", d.endpoint, d.url,
        e.record_id as "recordId", e.body, d.tries, d.due_at as "leaseEndsAt",
        e.is_completed as "isCompleted"
    )
    select false as "isMark", * from claimed
    union all
    select true, client_id, null, null, endpoint, null, null, null, null, null, null
    from endpoints where nth = ${endpointsMax}`
  const jobs = rows.filter(({ isMark }) => !isMark)
  const isFull = jobs.length === claim.limit
  advance(
    turn,
    isFull ? jobs : undefined,
    rows.filter(({ isMark }) => isMark),
  )
  return jobs
}

/** Goes on with who was not looked at: a full claim has come to the client of its last job. */
function advance(turn: ClaimTurn, full: Job[] | undefined, marks: Mark[]): void {
  const placeOf = (clientId: number) => (clientId <= turn.clientId ? 2 ** 32 : 0) + clientId
  const end = full && Math.max(...full.map(({ clientId }) => placeOf(clientId)))
  const wasSeen = (clientId: number) => end === undefined || placeOf(clientId) < end
  const kept = [...turn.endpoints].filter(([clientId]) => !wasSeen(clientId))
  const seen = marks.filter(({ clientId }) => wasSeen(clientId))
  turn.endpoints = new Map([
    ...kept,
    ...seen.map(({ clientId, endpoint }): [number, string] => [clientId, endpoint]),
  ])
  if (end !== undefined) turn.clientId = end % 2 ** 32
}
