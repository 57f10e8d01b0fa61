import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { tokenContext, tokenPurpose } from '#money/transactions/token-safe.ts'

/** Recharge codes in proposals, the decided ones included. */
export const sealedProposals: SealedColumn<Db> = {
  name: 'recharge codes of proposals',
  purpose: tokenPurpose,
  start: [firstUuid],
  read: async (db, [after], limit) => {
    const rows = await db<{ place: string; clientId: number; id: string; sealed: string | null }>`
      select id as place, coalesce(client_id, 0) as "clientId", content ->> 'id' as id,
        content ->> 'sealedToken' as sealed
      from approvals where id > ${after}::uuid order by approvals.id limit ${limit}`
    return rows.map(({ place, sealed, ...of }) => ({
      place: [place],
      sealed,
      context: tokenContext(of),
    }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceCode(db, one)))
  },
}

async function replaceCode(db: Db, { place: [id], from, to }: Resealed): Promise<void> {
  await db`
    update approvals set content = jsonb_set(content, '{sealedToken}', to_jsonb(${to}::text))
    where id = ${id}::uuid and content ->> 'sealedToken' = ${from}`
}
