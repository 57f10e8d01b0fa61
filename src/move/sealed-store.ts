import type { Db } from '../db/db.ts'
import type { Resealed, SealedColumn } from '../sealing/sealed-column.ts'
import { callbackKeyPurpose } from './wire.ts'

/** The keys of the callback addresses that clients had in the cells they came from. */
export const sealedCallbackKeys: SealedColumn<Db> = {
  name: 'keys of old callback addresses',
  purpose: callbackKeyPurpose,
  start: ['0'],
  read: async (db, [after], limit) => {
    const rows = await db<{ id: string; sealed: Buffer | null }>`
      select client_id::text as id, sealed_callback_key as sealed from client_moves
      where direction = 'in' and client_id > ${after}::integer
      order by client_id limit ${limit}`
    return rows.map(({ id, sealed }) => ({ place: [id], sealed, context: id }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceKey(db, one)))
  },
}

async function replaceKey(db: Db, { place: [id], from, to }: Resealed): Promise<void> {
  await db`
    update client_moves set sealed_callback_key = ${to}
    where client_id = ${id}::integer and direction = 'in' and sealed_callback_key = ${from}`
}
