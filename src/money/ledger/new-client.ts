import type { Clock } from '#base/kit/clock.ts'
import type { SecretKey } from '#base/sealing/seal.ts'
import type { Db } from '#data/db/db.ts'
import { createClient } from '#merchants/clients/clients.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { insertAccounts } from './store.ts'

export type AccountOrder = Parameters<typeof createClient>[2]

/** Creates a client with empty accounts, no services, and a webhook secret to be shown once. */
export function openAccount(
  db: Db,
  { clock, secretKey }: { clock: Clock; secretKey: SecretKey },
  order: AccountOrder,
): Promise<{ id: number; webhookSecret: string }> {
  return db.transaction(async (tx) => {
    const id = await createClient(tx, { clock }, order)
    await insertAccounts(tx, id, clock.now())
    const sealing = { secretKey, clock }
    const webhookSecret = await addWebhookSecret(tx, sealing, { clientId: id, overlapMs: 0 })
    return { id, webhookSecret }
  })
}
