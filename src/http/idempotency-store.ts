import type { Db } from '../db/db.ts'

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

/**
 * Claims a key. True when it is new, older than `forgetBefore`, or when the same request claimed it
 * before `deadBefore` and was never answered.
 */
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
    set fingerprint = excluded.fingerprint, http_status = null, body = null,
      created_at = excluded.created_at
    where k.created_at < ${times.forgetBefore}
      or (k.http_status is null and k.created_at < ${times.deadBefore}
        and k.fingerprint = excluded.fingerprint)
    returning key`
  return rows.length > 0
}

export async function readKey(db: Db, owner: Owner): Promise<Remembered | undefined> {
  const [row] = await db<Remembered>`
    select fingerprint, http_status as status, body from idempotency_keys
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
  return row
}

export async function rememberAnswer(
  db: Db,
  owner: Owner,
  answer: { status: number; body: string },
): Promise<void> {
  await db`
    update idempotency_keys set http_status = ${answer.status}, body = ${answer.body}
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
}

export async function forgetKey(db: Db, owner: Owner): Promise<void> {
  await db`
    delete from idempotency_keys
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
}

/** Deletes keys created before a moment, at most `limit` of them, to keep the transaction short. */
export async function forgetOldKeys(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < ${before} limit ${limit}
    )) returning key`
  return rows.length
}
