import type { Db } from '#data/db/db.ts'

/** Events that did not reach a client's address. */
export interface FailedDeliveries {
  /** Given up since a time and not delivered by another try; counted up to `failedMax`. */
  exhausted: number
  /** Tried in vain and still to be tried again; counted up to `failedMax`. */
  retrying: number
}

/** Counts what a client's address did not take, by the indexes of what failed and what waits. */
export async function countFailedDeliveries(
  db: Db,
  clientId: number,
  since: Date,
  failedMax: number,
): Promise<FailedDeliveries> {
  const [row] = await db<FailedDeliveries>`
    select (
      select count(*) from (
        select from deliveries d
        where d.client_id = ${clientId} and d.state = 'exhausted' and d.ended_at >= ${since}
          and not exists (
            select from deliveries o
            where o.event_id = d.event_id and o.client_id = d.client_id
              and o.state = 'delivered')
        limit ${failedMax}) failed) as exhausted, (
      select count(*) from (
        select from deliveries
        where client_id = ${clientId} and due_at is not null and tries > 0
        limit ${failedMax}) waiting) as retrying`
  return row ?? { exhausted: 0, retrying: 0 }
}

export interface ExpiringSecret {
  what: 'api_key' | 'webhook_secret'
  id: string
  /** The label of a key. */
  label: string | null
  expiresAt: Date
}

/** The keys and webhook secrets of a client that end between two times. */
export function readExpiring(
  db: Db,
  clientId: number,
  { now, until }: { now: Date; until: Date },
): Promise<ExpiringSecret[]> {
  return db<ExpiringSecret>`
    select 'api_key' as what, k.id, k.label, max(s.expires_at) as "expiresAt"
    from api_keys k
    join api_key_secrets s on (s.client_id, s.key_id) = (k.client_id, k.id)
    where k.client_id = ${clientId} and k.revoked_at is null
    group by k.id, k.label
    -- A key whose new secret has no end was rotated: nothing is to be done.
    having bool_and(s.expires_at is not null)
      and max(s.expires_at) > ${now} and max(s.expires_at) <= ${until}
    union all
    select 'webhook_secret', id, null, expires_at from webhook_secrets
    where client_id = ${clientId} and expires_at > ${now} and expires_at <= ${until}
    order by 4, 2`
}
