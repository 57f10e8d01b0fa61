import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { KeyRight } from './key-rights.ts'
import type { KeyScope, Viewer } from './scope.ts'
import type { MerchantStatus } from './statuses.ts'

export interface KeyRow {
  clientId: number
  id: string
  label: string
  rights: KeyRight[]
  scope: KeyScope
  allowedAddresses: string[]
  /** Null: the client's own limit. */
  ratePerMinute: number | null
  createdAt: Date
  revokedAt: Date | null
}

export interface SecretRow {
  hash: Buffer
  clientId: number
  keyId: string
  prefix: string
  lastFour: string
  createdAt: Date
  expiresAt: Date | null
}

/** Who calls with a valid key, and what it may do. */
export interface Caller extends Required<Viewer> {
  /** In hex: the secret itself is not kept. */
  secretHash: string
  rights: KeyRight[]
  allowedAddresses: string[]
  ratePerMinute: number
  merchantStatus: MerchantStatus
}

/** The callers of these secrets' hashes; none for a secret that is not valid at `now`. */
export function findCallers(db: Db, hashes: Buffer[], now: Date): Promise<Caller[]> {
  return db<Caller>`
    select encode(s.hash, 'hex') as "secretHash", k.client_id as "clientId", k.id as "keyId",
      k.rights, k.scope, k.allowed_addresses::text[] as "allowedAddresses",
      coalesce(k.rate_per_minute, c.rate_per_minute) as "ratePerMinute",
      c.merchant_status as "merchantStatus"
    from api_key_secrets s
    join api_keys k on (k.client_id, k.id) = (s.client_id, s.key_id)
    join clients c on c.id = k.client_id
    where s.hash = any(${hashes}::bytea[])
      and k.revoked_at is null
      and (s.expires_at is null or s.expires_at > ${now})`
}

/** `network` turns 10.0.0.5/24 into 10.0.0.0/24, which a cast to cidr would refuse. */
export async function insertKey(tx: Tx, key: Omit<KeyRow, 'revokedAt'>): Promise<void> {
  await tx`
    insert into api_keys (
      client_id, id, label, rights, scope, allowed_addresses, rate_per_minute, created_at)
    values (${key.clientId}, ${key.id}, ${key.label}, ${key.rights}, ${key.scope},
      array(select network(one) from unnest(${key.allowedAddresses}::inet[]) as one),
      ${key.ratePerMinute}, ${key.createdAt})`
}

export async function insertSecret(tx: Tx, secret: Omit<SecretRow, 'expiresAt'>): Promise<void> {
  await tx`
    insert into api_key_secrets (hash, client_id, key_id, prefix, last_four, created_at)
    values (${secret.hash}, ${secret.clientId}, ${secret.keyId}, ${secret.prefix},
      ${secret.lastFour}, ${secret.createdAt})`
}

/** Locks a key by its id; undefined when there is none. */
export async function lockKey(tx: Tx, id: string): Promise<KeyRow | undefined> {
  const [key] = await tx<KeyRow>`
    select client_id as "clientId", id, label, rights, scope,
      allowed_addresses::text[] as "allowedAddresses", rate_per_minute as "ratePerMinute",
      created_at as "createdAt", revoked_at as "revokedAt"
    from api_keys where id = ${id} for update`
  return key
}

/** Sets when a key's secrets expire, except for those that expire sooner. */
export async function expireSecrets(tx: Tx, key: KeyRow, at: Date): Promise<void> {
  await tx`
    update api_key_secrets set expires_at = ${at}
    where client_id = ${key.clientId} and key_id = ${key.id}
      and (expires_at is null or expires_at > ${at})`
}

export async function markRevoked(tx: Tx, key: KeyRow, at: Date): Promise<void> {
  await tx`
    update api_keys set revoked_at = ${at}
    where client_id = ${key.clientId} and id = ${key.id}`
}

/** A key as lists show it, with its last secret; the key of the dashboard has none. */
export interface ListedKey extends KeyRow {
  prefix: string | null
  lastFour: string | null
  secrets: number
  isDashboard: boolean
  /** Within a minute; null: never. */
  lastUsedAt: Date | null
}

const useRows = rowsOf({ clientId: 'integer', keyId: 'uuid', at: 'timestamptz' })

/** Records when keys were used, unless a later use is recorded. */
export async function markKeysUsed(
  db: Db,
  uses: { clientId: number; keyId: string; at: Date }[],
): Promise<void> {
  await db`
    update api_keys k set last_used_at = u.at
    from (select "clientId", "keyId", max(at) as at from ${useRows(uses)} as one group by 1, 2) u
    where (k.client_id, k.id) = (u."clientId", u."keyId")
      and (k.last_used_at is null or k.last_used_at < u.at)`
}

/** The keys of a client, or of all, newest first. */
export function readKeys(db: Db, clientId: number | null): Promise<ListedKey[]> {
  return db<ListedKey>`
    select k.client_id as "clientId", k.id, k.label, k.rights,
      k.scope, k.allowed_addresses::text[] as "allowedAddresses",
      k.rate_per_minute as "ratePerMinute",
      k.created_at as "createdAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt",
      last.prefix, last.last_four as "lastFour",
      (select count(*)::integer from api_key_secrets s
        where (s.client_id, s.key_id) = (k.client_id, k.id)) as secrets,
      last.prefix is null as "isDashboard"
    from api_keys k
    left join lateral (
      select prefix, last_four from api_key_secrets s
      where (s.client_id, s.key_id) = (k.client_id, k.id)
      order by created_at desc limit 1
    ) last on true
    where k.client_id = coalesce(${clientId}, k.client_id)
    order by k.created_at desc, k.id`
}

/** Whether any key was made in live mode. */
export async function hasLiveKeys(db: Db): Promise<boolean> {
  const rows = await db`select 1 from api_key_secrets where starts_with(prefix, 'sk_live_') limit 1`
  return rows.length > 0
}

/** The key of a client without a secret; see dashboard-key.ts. */
export async function findDashboardKey(
  run: Db | Tx,
  clientId: number,
): Promise<string | undefined> {
  const [key] = await run<{ id: string }>`
    select id from api_keys k
    where client_id = ${clientId} and revoked_at is null and not exists (
      select from api_key_secrets s where (s.client_id, s.key_id) = (k.client_id, k.id))`
  return key?.id
}
