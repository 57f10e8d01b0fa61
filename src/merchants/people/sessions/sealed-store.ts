import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { messagePurpose } from './sessions.ts'

/** What the next page of a session shows once. */
export const sealedMessages: SealedColumn<Db> = {
  name: 'session messages',
  purpose: messagePurpose,
  start: [firstUuid],
  read: async (db, [after], limit) => {
    const rows = await db<{ id: string; sealed: string | null }>`
      select id, message as sealed from sessions
      where id > ${after}::uuid order by id limit ${limit}`
    return rows.map(({ id, sealed }) => ({ place: [id], sealed, context: id }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceMessage(db, one)))
  },
}

async function replaceMessage(db: Db, { place: [id], from, to }: Resealed): Promise<void> {
  await db`update sessions set message = ${to} where id = ${id}::uuid and message = ${from}`
}
