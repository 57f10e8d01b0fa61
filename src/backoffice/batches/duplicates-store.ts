import type { Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

const keys = rowsOf({ phone: 'text', serviceCode: 'text', amount: 'bigint' })

/** A payout, and the latest batch that has the same one. */
interface EarlierPayout {
  phone: string
  serviceCode: string
  amount: number
  batchName: string
}

/**
 * Which of these payouts recent batches have too, unless those were never to be paid. Each line of
 * their numbers is read once: a join, of which none is made by a hash (db/db.ts), compares all with
 * all.
 */
export function findEarlierPayouts(
  tx: Tx,
  clientId: number,
  payouts: { phone: string; serviceCode: string; amount: number }[],
  since: Date,
): Promise<EarlierPayout[]> {
  return tx<EarlierPayout>`
    with wanted as materialized (
      select distinct phone, "serviceCode", amount from ${keys(payouts)} as n
    )
    select distinct on (l.phone, l.service_code, l.amount)
      l.phone, l.service_code as "serviceCode", l.amount, b.name as "batchName"
    from (select distinct phone from wanted) w
    cross join lateral (
      select phone, service_code, amount, batch_id from batch_lines
      where client_id = ${clientId} and phone = w.phone and state <> 'failed'
        -- As a test, which looks into a hash table, and no join.
        and ((phone, service_code, amount) in (table wanted)) is true
      offset 0
    ) l
    cross join lateral (
      select id, name from batches
      where client_id = ${clientId} and id = l.batch_id
        and created_at >= ${since} and state not in ('cancelled', 'refused')
      limit 1
    ) b
    order by l.phone, l.service_code, l.amount, b.id desc`
}

/** Which external ids the client has used, for any record. */
export async function findUsedIds(tx: Tx, clientId: number, ids: string[]): Promise<Set<string>> {
  const rows = await tx<{ id: string }>`
    select e.id from unnest(${ids}::text[]) as w (id)
    cross join lateral (
      select external_id as id from external_ids
      where client_id = ${clientId} and external_id = w.id
      -- Keeps the planner from comparing each with all that the client has used.
      limit 1
    ) e`
  return new Set(rows.map(({ id }) => id))
}
