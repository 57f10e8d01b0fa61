import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { tokenContext, tokenPurpose } from './token-safe.ts'

/** Recharge codes of prepaid meters. Only payments that have ended have them. */
export const sealedTokens: SealedColumn<Db> = {
  name: 'recharge codes',
  purpose: tokenPurpose,
  start: ['0', firstUuid],
  read: async (db, [clientId, id], limit) => {
    const rows = await db<{ clientId: number; id: string; sealed: string | null }>`
      select client_id as "clientId", id, sealed_token as sealed from transactions
      where (client_id, id) > (${clientId}::integer, ${id}::uuid)
      order by client_id, id limit ${limit}`
    return rows.map((row) => ({
      place: [String(row.clientId), row.id],
      sealed: row.sealed,
      context: tokenContext(row),
    }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceToken(db, one)))
  },
}

// Without a new version: no decision depends on the code of a payment.
async function replaceToken(db: Db, { place: [clientId, id], from, to }: Resealed): Promise<void> {
  await db`
    update transactions set sealed_token = ${to}
    where client_id = ${clientId}::integer and id = ${id}::uuid and sealed_token = ${from}`
}
