import type { Db } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

/** How many requests of a key were counted in the minute that ends then. */
export interface KeyCount {
  keyId: string
  requests: number
  endsMs: number
}

const countRows = rowsOf({ keyId: 'uuid', requests: 'integer', endsAt: 'timestamptz' })

/** Adds to the minutes of keys, or begins one where there is none; what is counted in them now. */
export async function addKeyCounts(db: Db, counts: KeyCount[], now: Date): Promise<KeyCount[]> {
  const rows = counts.map((one) => ({ ...one, endsAt: new Date(one.endsMs) }))
  // In the order of the keys, so that processes do not wait for each other in a circle.
  const totals = await db<{ keyId: string; requests: number; endsAt: Date }>`
    insert into request_rates as r (key_id, requests, ends_at)
    select "keyId", requests, "endsAt" from ${countRows(rows)} as one order by "keyId"
    on conflict (key_id) do update set
      requests = case when r.ends_at > ${now} then r.requests else 0 end + excluded.requests,
      ends_at = case when r.ends_at > ${now} then r.ends_at else excluded.ends_at end
    returning key_id as "keyId", requests, ends_at as "endsAt"`
  return totals.map(({ endsAt, ...one }) => ({ ...one, endsMs: endsAt.getTime() }))
}
