import { firstUuid, type Resealed, type SealedColumn } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'
import { webhookSecretContext, webhookSecretPurpose } from './webhook-secrets.ts'

/** The secrets that webhooks are signed with. */
export const sealedWebhookSecrets: SealedColumn<Db> = {
  name: 'webhook secrets',
  purpose: webhookSecretPurpose,
  start: ['0', firstUuid],
  read: async (db, [clientId, id], limit) => {
    const rows = await db<{ clientId: number; id: string; sealed: Buffer }>`
      select client_id as "clientId", id, sealed from webhook_secrets
      where (client_id, id) > (${clientId}::integer, ${id}::uuid)
      order by client_id, id limit ${limit}`
    return rows.map((row) => ({
      place: [String(row.clientId), row.id],
      sealed: row.sealed,
      context: webhookSecretContext(row),
    }))
  },
  replace: async (db, values) => {
    await Promise.all(values.map((one) => replaceSecret(db, one)))
  },
}

async function replaceSecret(db: Db, { place: [clientId, id], from, to }: Resealed): Promise<void> {
  await db`
    update webhook_secrets set sealed = ${to}
    where client_id = ${clientId}::integer and id = ${id}::uuid and sealed = ${from}`
}
