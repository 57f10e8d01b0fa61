import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { bodyContext, bodyPurpose } from './body-safe.ts'

/** Bodies of events that hold recharge codes; the others are not sealed. */
export const sealedBodies: SealedColumn<Db> = {
  name: 'event bodies',
  purpose: bodyPurpose,
  start: ['0', firstUuid],
  read: async (db, [clientId, id], limit) => {
    const rows = await db<{ clientId: number; id: string; sealed: string | null }>`
      select client_id as "clientId", id,
        case when starts_with(body, 'sealed:') then body end as sealed
      from events
      where (client_id, id) > (${clientId}::integer, ${id}::uuid)
      order by client_id, id limit ${limit}`
    return rows.map((row) => ({
      place: [String(row.clientId), row.id],
      sealed: row.sealed,
      context: bodyContext(row),
    }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceBody(db, one)))
  },
}

async function replaceBody(db: Db, { place: [clientId, id], from, to }: Resealed): Promise<void> {
  await db`
    update events set body = ${to}
    where client_id = ${clientId}::integer and id = ${id}::uuid and body = ${from}`
}
