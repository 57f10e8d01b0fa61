import type { Db, Tx } from '#data/db/db.ts'

export async function insertWebhookSecret(
  tx: Tx,
  secret: { clientId: number; id: string; sealed: Buffer; createdAt: Date },
): Promise<void> {
  await tx`
    insert into webhook_secrets (client_id, id, sealed, created_at)
    values (${secret.clientId}, ${secret.id}, ${secret.sealed}, ${secret.createdAt})`
}

/** Sealed secrets that have not expired, newest first. */
export function readWebhookSecrets(run: Db | Tx, clientIds: number[], now: Date) {
  return run<{ clientId: number; id: string; sealed: Buffer }>`
    select client_id as "clientId", id, sealed
    from webhook_secrets
    where client_id = any(${clientIds}::integer[]) and (expires_at is null or expires_at > ${now})
    order by created_at desc, id desc`
}

/** Sets when a client's webhook secrets expire, except for those that expire sooner. */
export async function expireWebhookSecrets(tx: Tx, clientId: number, at: Date): Promise<void> {
  await tx`
    update webhook_secrets set expires_at = ${at}
    where client_id = ${clientId} and (expires_at is null or expires_at > ${at})`
}

/** When the secrets of a client that sign now were made, newest first, and when they expire. */
export function readSecretDates(
  db: Db,
  clientId: number,
  now: Date,
): Promise<{ createdAt: Date; expiresAt: Date | null }[]> {
  return db`
    select created_at as "createdAt", expires_at as "expiresAt"
    from webhook_secrets
    where client_id = ${clientId} and (expires_at is null or expires_at > ${now})
    order by created_at desc, id desc`
}

/** Deletes secrets that expired before a time, and returns how many. */
export async function deleteExpiredSecrets(tx: Tx, before: Date): Promise<number> {
  const rows = await tx`delete from webhook_secrets where expires_at < ${before} returning 1`
  return rows.length
}
