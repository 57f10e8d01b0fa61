import { after, type Clock } from '#base/kit/clock.ts'
import { newId, randomText } from '#base/kit/ids.ts'
import { keysFor, type SecretKey, seal, unseal } from '#base/sealing/seal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db, Tx } from '#data/db/db.ts'
import {
  expireWebhookSecrets,
  insertWebhookSecret,
  readWebhookSecrets,
} from './webhook-secret-store.ts'

interface Sealing {
  secretKey: SecretKey
  clock: Clock
}

export const webhookSecretPurpose = 'webhook secrets'

/**
 * Gives a client a new secret for signing webhooks; older ones also sign for the overlap. It is
 * stored encrypted (sealed) and not hashed, because it is needed to sign.
 */
export async function addWebhookSecret(
  tx: Tx,
  { secretKey, clock }: Sealing,
  order: { clientId: number; overlapMs: number; secret?: string },
): Promise<string> {
  const now = clock.now()
  const id = newId(now)
  const secret =
    order.secret ?? `whsec_${Buffer.from(randomText(24), 'base64url').toString('base64')}`
  await expireWebhookSecrets(tx, order.clientId, after(now, order.overlapMs))
  await insertWebhookSecret(tx, {
    clientId: order.clientId,
    id,
    sealed: seal(
      keysFor(secretKey, webhookSecretPurpose),
      secret,
      webhookSecretContext({ clientId: order.clientId, id }),
    ),
    createdAt: now,
  })
  return secret
}

export interface SecretOrder {
  clientId: number
  /** How long the secrets of before sign too. */
  overlapMs: number
  actor: string
}

/** The same as an action of somebody, which the audit log records. */
export function rotateWebhookSecret(db: Db, sealing: Sealing, order: SecretOrder): Promise<string> {
  const { clientId, overlapMs, actor } = order
  return db.transaction(async (tx) => {
    const secret = await addWebhookSecret(tx, sealing, { clientId, overlapMs })
    const at = sealing.clock.now()
    const action = 'webhook.rotate'
    await recordAudit(tx, { at, actor, action, clientId, details: { overlapMs } })
    return secret
  })
}

/** The secrets that clients' webhooks are signed with now, each client's newest first. */
export async function webhookSecretsOf(
  db: Db,
  { secretKey, clock }: Sealing,
  clientIds: number[],
): Promise<string[][]> {
  const keys = keysFor(secretKey, webhookSecretPurpose)
  const rows = await readWebhookSecrets(db, clientIds, clock.now())
  const byClient = Map.groupBy(rows, ({ clientId }) => clientId)
  return clientIds.map((clientId) =>
    (byClient.get(clientId) ?? []).map(({ id, sealed }) =>
      unseal(keys, sealed, webhookSecretContext({ clientId, id })),
    ),
  )
}

/** What a secret is bound to by sealing. */
export function webhookSecretContext({ clientId, id }: { clientId: number; id: string }): string {
  return `${clientId} ${id}`
}
