import type { Db } from '../kit/db.ts'

interface Owner {
  clientId: number
  keyId: string
  key: string
}

export interface Remembered {
  fingerprint: Buffer
  status: number | null
  body: string | null
}

/** Claims a key: true when it is new, forgotten by age, or its first request died half-way. */
export async function claimKey(
  db: Db,
  owner: Owner,
  fingerprint: Buffer,
  times: { now: Date; forgetBefore: Date; deadBefore: Date },
): Promise<boolean> {
  const rows = await db`
    insert into idempotency_keys as k (client_id, key_id, key, fingerprint, created_at)
    values (${owner.clientId}, ${owner.keyId}, ${owner.key}, ${fingerprint}, ${times.now})
    on conflict (client_id, key_id, key) do update
    set fingerprint = excluded.fingerprint, status = null, body = null,
      created_at = excluded.created_at
    where k.created_at < ${times.forgetBefore}
      or (k.status is null and k.created_at < ${times.deadBefore}
        and k.fingerprint = excluded.fingerprint)
    returning key`
  return rows.length > 0
}

export async function readKey(db: Db, owner: Owner): Promise<Remembered | undefined> {
  const [row] = await db<Remembered>`
    select fingerprint, status, body from idempotency_keys
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
  return row
}

export async function rememberAnswer(
  db: Db,
  owner: Owner,
  answer: { status: number; body: string },
): Promise<void> {
  await db`
    update idempotency_keys set status = ${answer.status}, body = ${answer.body}
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
}

export async function forgetKey(db: Db, owner: Owner): Promise<void> {
  await db`
    delete from idempotency_keys
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
}
