import { type Db, fragment, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

/** Whose key: keys of different API keys are different ones. */
export interface Owner {
  clientId: number
  keyId: string
  key: string
}

/** The right to carry a request out: whoever takes it over has another one. */
export interface Claim extends Owner {
  claim: string
}

export interface Claiming extends Claim {
  fingerprint: Buffer
  /** The id of the record that the request makes. */
  recordId: string
  now: Date
  until: Date
}

/** An answer that is stored, sealed. */
export interface Answer {
  status: number
  body: string
}

interface Remembered {
  fingerprint: Buffer
  status: number | null
  body: string | null
  createdAt: Date
  claim: string
  claimedUntil: Date
}

/** Claims a key that is new; false: there is one. */
export async function claimKey(db: Db, one: Claiming): Promise<boolean> {
  const rows = await db`
    insert into idempotency_keys (
      client_id, key_id, key, fingerprint, created_at, record_id, claim, claimed_until)
    values (${one.clientId}, ${one.keyId}, ${one.key}, ${one.fingerprint}, ${one.now},
      ${one.recordId}, ${one.claim}, ${one.until})
    on conflict (client_id, key_id, key) do nothing
    returning key`
  return rows.length > 0
}

export async function readKey(db: Db, owner: Owner): Promise<Remembered | undefined> {
  const [row] = await db<Remembered>`
    select fingerprint, http_status as status, body, created_at as "createdAt", claim,
      claimed_until as "claimedUntil"
    from idempotency_keys
    where client_id = ${owner.clientId} and key_id = ${owner.keyId} and key = ${owner.key}`
  return row
}

/**
 * Takes an unanswered request over from the claim `from`, which can then make no record any more.
 * Returns the id of the request's record; undefined: it was answered or taken over meanwhile, or
 * its record is being committed.
 */
export async function takeOver(
  db: Db,
  one: Claim & { until: Date },
  from: string,
): Promise<string | undefined> {
  const [row] = await db<{ recordId: string }>`
    update idempotency_keys k
    set claim = ${one.claim}, claimed_until = ${one.until}
    where (k.client_id, k.key_id, k.key) in (
      select client_id, key_id, key from idempotency_keys
      where client_id = ${one.clientId} and key_id = ${one.keyId} and key = ${one.key}
        and http_status is null and claim = ${from}
      for no key update skip locked)
    returning record_id as "recordId"`
  return row?.recordId
}

/** Whether a claim is still the request's; if so nobody takes it over before the commit. */
export async function holdClaim(tx: Tx, one: Claim): Promise<boolean> {
  const rows = await tx`
    select key from idempotency_keys
    where client_id = ${one.clientId} and key_id = ${one.keyId} and key = ${one.key}
      and claim = ${one.claim}
    for no key update`
  return rows.length > 0
}

const claimRows = rowsOf({ clientId: 'integer', keyId: 'uuid', key: 'text', claim: 'uuid' })

/**
 * Moves the end of claims; to now: their requests are not carried out any more. Waits for no row
 * that a commit holds, from which nobody can take the request over either.
 */
export async function setClaimEnds(db: Db, claims: Claim[], until: Date): Promise<void> {
  await db`
    update idempotency_keys k set claimed_until = ${until}
    from (
      select o.client_id, o.key_id, o.key
      from ${claimRows(claims)} as c
      join idempotency_keys o
        on (o.client_id, o.key_id, o.key) = (c."clientId", c."keyId", c.key)
      where o.claim = c.claim and o.http_status is null
      for no key update of o skip locked
    ) own
    where (k.client_id, k.key_id, k.key) = (own.client_id, own.key_id, own.key)`
}

/** Stores the answer of whoever has the claim; of anybody else nothing. */
export async function rememberAnswer(db: Db, one: Claim, answer: Answer): Promise<void> {
  await db`
    update idempotency_keys set http_status = ${answer.status}, body = ${answer.body}
    where client_id = ${one.clientId} and key_id = ${one.keyId} and key = ${one.key}
      and claim = ${one.claim}`
}

/** A record that a key belongs to, and that is open or ended after the time compared with. */
const openTransaction = fragment`
  select from transactions t
  where t.client_id = k.client_id and t.id = k.record_id and coalesce(t.completed_at, 'infinity')`
const openLink = fragment`
  select from links l
  where l.client_id = k.client_id and l.id = k.record_id and coalesce(l.completed_at, 'infinity')`

const openDelivery = fragment`
  select from deliveries d
  where d.client_id = k.client_id and d.id = k.record_id and d.state = 'pending'`

/** Deletes a key that has served its time, as `forgetOldKeys` does; false: it has not. */
export async function forgetIfOld(db: Db, owner: Owner, before: Date): Promise<boolean> {
  const rows = await db`
    delete from idempotency_keys k
    where k.client_id = ${owner.clientId} and k.key_id = ${owner.keyId} and k.key = ${owner.key}
      and k.created_at < ${before} and k.claimed_until < ${before}
      and not exists (${openTransaction} >= ${before})
      and not exists (${openLink} >= ${before})
      and not exists (${openDelivery})
    returning key`
  return rows.length > 0
}

/**
 * Deletes keys that were last used before a moment, and whose record ended before it, at most
 * `limit` of them, to keep the transaction short.
 */
export async function forgetOldKeys(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db`
    delete from idempotency_keys where ctid = any(array(
      select k.ctid from idempotency_keys k
      where k.created_at < ${before} and k.claimed_until < ${before}
        and not exists (${openTransaction} >= ${before})
        and not exists (${openLink} >= ${before})
        and not exists (${openDelivery})
      limit ${limit}
    )) returning key`
  return rows.length
}
