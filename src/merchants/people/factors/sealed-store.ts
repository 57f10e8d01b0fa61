import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { factorPurpose } from './safe.ts'

/** The secrets of people's authenticator apps. */
export const sealedFactors: SealedColumn<Db> = {
  name: 'second factors',
  purpose: factorPurpose,
  start: [firstUuid],
  read: async (db, [after], limit) => {
    const rows = await db<{ id: string; sealed: string }>`
      select person_id as id, secret as sealed from second_factors
      where person_id > ${after}::uuid order by person_id limit ${limit}`
    return rows.map(({ id, sealed }) => ({ place: [id], sealed, context: id }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceFactor(db, one)))
  },
}

async function replaceFactor(db: Db, { place: [id], from, to }: Resealed): Promise<void> {
  await db`
    update second_factors set secret = ${to} where person_id = ${id}::uuid and secret = ${from}`
}
