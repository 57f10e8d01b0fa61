import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { answerContext, answerPurpose } from './idempotency.ts'

/** Answers that are kept for repetitions of their requests, for 72 hours. */
export const sealedAnswers: SealedColumn<Db> = {
  name: 'remembered answers',
  purpose: answerPurpose,
  start: ['0', firstUuid, ''],
  read: async (db, [clientId, keyId, key], limit) => {
    const rows = await db<{ clientId: number; keyId: string; key: string; sealed: string | null }>`
      select client_id as "clientId", key_id as "keyId", key, body as sealed from idempotency_keys
      where (client_id, key_id, key) > (${clientId}::integer, ${keyId}::uuid, ${key}::text)
      order by client_id, key_id, key limit ${limit}`
    return rows.map((row) => ({
      place: [String(row.clientId), row.keyId, row.key],
      sealed: row.sealed,
      context: answerContext(row),
    }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceAnswer(db, one)))
  },
}

async function replaceAnswer(db: Db, { place, from, to }: Resealed): Promise<void> {
  const [clientId, keyId, key] = place
  await db`
    update idempotency_keys set body = ${to}
    where client_id = ${clientId}::integer and key_id = ${keyId}::uuid and key = ${key}
      and body = ${from}`
}
