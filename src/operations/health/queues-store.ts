import { after } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

/** Work that waits for this gateway: when the most overdue of each kind fell due. */
export interface Queues {
  ordersDueAt: Date | null
  webhooksDueAt: Date | null
  mailsDueAt: Date | null
}

/** When the oldest due row of each queue fell due, by the indexes of what is due. */
export async function readQueues(db: Db): Promise<Queues> {
  const [row] = await db<Queues>`
    select
      (select min(due_at) from transactions
        where due_at is not null and completed_at is null) as "ordersDueAt",
      (select min(due_at) from deliveries where due_at is not null) as "webhooksDueAt",
      (select min(due_at) from mails where due_at is not null and state = 'pending')
        as "mailsDueAt"`
  return row ?? { ordersDueAt: null, webhooksDueAt: null, mailsDueAt: null }
}

/** Events that did not reach a merchant. */
export interface MerchantBacklog {
  clientId: number
  name: string
  /** Wait for a try, each counted up to 10,000. */
  waiting: number
  /** When the oldest of them was recorded; null: none waits. */
  oldestAt: Date | null
  /** Given up since the time asked for. */
  givenUp: number
}

/** The merchants whose addresses do not take their events, those with most first. */
export function readMerchantBacklogs(
  db: Db,
  { since, limit }: { since: Date; limit: number },
): Promise<MerchantBacklog[]> {
  return db<MerchantBacklog>`
    with waiting as (
      select client_id, count(*)::integer as waiting, min(created_at) as oldest_at
      from (
        select client_id, created_at from deliveries
        where due_at is not null and tries > 0
        limit 10000) tried
      group by client_id
    ), given_up as (
      select client_id, count(*)::integer as given_up from deliveries
      where state = 'exhausted' and ended_at >= ${since}
      group by client_id
    )
    select c.id as "clientId", c.name, coalesce(w.waiting, 0) as waiting,
      w.oldest_at as "oldestAt", coalesce(g.given_up, 0) as "givenUp"
    from waiting w
    full join given_up g using (client_id)
    join clients c on c.id = client_id
    order by waiting desc, "givenUp" desc, c.id
    limit ${limit}`
}

/** How many decisions wait for a second person. */
export async function countOpenApprovals(db: Db, now: Date): Promise<number> {
  const [row] = await db<{ open: number }>`
    select count(*)::integer as open from approvals
    where state = 'open' and expires_at > ${now}`
  return row?.open ?? 0
}

/** A provider with payments of days ago that no statement tells of. */
export interface StaleStatement {
  provider: string
  country: string
  /** When its newest statement ends; null: it never had one. */
  toAt: Date | null
}

const providerRows = rowsOf({ provider: 'text', country: 'text' })
// Of a provider without a statement: payments of so long before are looked for.
const neverMs = 7 * 86_400_000

/**
 * Providers with payments since the end of their newest statement, which is before a time; the
 * oldest first. Of those that are expected, also one that never had a statement.
 */
export function readStaleStatements(
  db: Db,
  { before, expected }: { before: Date; expected: Pick<StaleStatement, 'provider' | 'country'>[] },
): Promise<StaleStatement[]> {
  return db<StaleStatement>`
    with newest as (
      select provider, country, max(to_at) as "toAt" from statements
      where state = 'read' group by provider, country
    ), looked_at as (
      select *, "toAt" as since, null::timestamptz as until from newest where "toAt" < ${before}
      union all
      select provider, country, null, ${after(before, -neverMs)}::timestamptz, ${before}
      from ${providerRows(expected)} as e
      where not exists (
        select from newest n where (n.provider, n.country) = (e.provider, e.country))
    )
    select provider, country, "toAt" from looked_at l
    where exists (
      select from clients c
      cross join lateral (
        select from transaction_hours
        where client_id = c.id and hour >= l.since and (hour < l.until or l.until is null)
          and starts_with(service_code, concat(l.provider, '_', l.country, '_'))
        limit 1
      ) paid)
    order by "toAt" nulls first`
}
