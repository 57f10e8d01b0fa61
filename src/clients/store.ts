import type { Db, Tx } from '../db/db.ts'
import { fragment } from '../db/db.ts'
import type { Language } from '../kit/language.ts'

export type MerchantStatus = 'pending' | 'active' | 'suspended'
export type Tier = 'standard' | 'enterprise'

export interface Client {
  id: number
  name: string
  merchantStatus: MerchantStatus
  tier: Tier
  ratePerMinute: number
  callbackUrl: string | null
  linkLifetimeS: number
  /** Where the merchant is written to, and in which language; null: nowhere. */
  email: string | null
  language: Language
  isDemo: boolean
  createdAt: Date
}

export interface ServiceTerms {
  serviceCode: string
  isEnabled: boolean
  fixed: number
  basisPoints: number
  min: number
  max: number | null
  amountMin: number | null
  amountMax: number | null
}

/** The new client's id, or undefined when the name is taken. */
export async function insertClient(
  tx: Tx,
  client: Omit<Client, 'id' | 'linkLifetimeS'>,
): Promise<number | undefined> {
  const [row] = await tx<{ id: number }>`
    insert into clients (
      name, merchant_status, tier, rate_per_minute, callback_url, email, language, is_demo,
      created_at)
    values (${client.name}, ${client.merchantStatus}, ${client.tier}, ${client.ratePerMinute},
      ${client.callbackUrl}, ${client.email}, ${client.language}, ${client.isDemo},
      ${client.createdAt})
    on conflict (name) do nothing
    returning id`
  return row?.id
}

export function findClients(run: Db | Tx, ids: number[]): Promise<Client[]> {
  return run<Client>`
    select id, name, merchant_status as "merchantStatus", tier,
      rate_per_minute as "ratePerMinute", callback_url as "callbackUrl", email, language,
      link_lifetime_seconds as "linkLifetimeS", is_demo as "isDemo", created_at as "createdAt"
    from clients where id = any(${ids}::integer[])`
}

export async function findClient(run: Db | Tx, id: number): Promise<Client | undefined> {
  const [client] = await findClients(run, [id])
  return client
}

/** The same, and nobody else changes the client before the transaction ends. */
export async function lockClient(tx: Tx, id: number): Promise<Client | undefined> {
  await tx`select from clients where id = ${id} for no key update`
  return findClient(tx, id)
}

export async function findClientId(run: Db | Tx, name: string): Promise<number | undefined> {
  const [row] = await run<{ id: number }>`select id from clients where name = ${name}`
  return row?.id
}

// Any fixed number: processes that start together on an empty database take turns.
const demoLock = 7_270_003

export async function lockDemo(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${demoLock})`
}

export async function findDemoClients(run: Db | Tx): Promise<string[]> {
  const rows = await run<{ name: string }>`select name from clients where is_demo order by id`
  return rows.map((row) => row.name)
}

/** Writes what may change of a client; false when there is none. */
export async function updateClient(tx: Tx, client: Omit<Client, 'isDemo' | 'createdAt'>) {
  const rows = await tx`
    update clients set name = ${client.name}, merchant_status = ${client.merchantStatus},
      tier = ${client.tier}, rate_per_minute = ${client.ratePerMinute},
      callback_url = ${client.callbackUrl}, email = ${client.email}, language = ${client.language},
      link_lifetime_seconds = ${client.linkLifetimeS}
    where id = ${client.id} returning id`
  return rows.length === 1
}

const termsColumns = fragment`
  service_code as "serviceCode", is_enabled as "isEnabled", fee_fixed as fixed,
  fee_basis_points as "basisPoints", fee_min as min, fee_max as max,
  amount_min as "amountMin", amount_max as "amountMax"`

export function readTerms(run: Db | Tx, clientId: number): Promise<ServiceTerms[]> {
  return run<ServiceTerms>`
    select ${termsColumns}
    from client_services where client_id = ${clientId} order by service_code`
}

/** The terms of several clients. */
export function readAllTerms(
  run: Db | Tx,
  clientIds: number[],
): Promise<(ServiceTerms & { clientId: number })[]> {
  return run<ServiceTerms & { clientId: number }>`
    select client_id as "clientId", ${termsColumns}
    from client_services where client_id = any(${clientIds}::integer[])`
}

export async function upsertTerms(tx: Tx, clientId: number, terms: ServiceTerms): Promise<void> {
  await tx`
    insert into client_services (client_id, service_code, is_enabled, fee_fixed,
      fee_basis_points, fee_min, fee_max, amount_min, amount_max)
    values (${clientId}, ${terms.serviceCode}, ${terms.isEnabled}, ${terms.fixed},
      ${terms.basisPoints}, ${terms.min}, ${terms.max}, ${terms.amountMin}, ${terms.amountMax})
    on conflict (client_id, service_code) do update set
      is_enabled = excluded.is_enabled, fee_fixed = excluded.fee_fixed,
      fee_basis_points = excluded.fee_basis_points, fee_min = excluded.fee_min,
      fee_max = excluded.fee_max, amount_min = excluded.amount_min,
      amount_max = excluded.amount_max`
}

export async function insertWebhookSecret(
  tx: Tx,
  secret: { clientId: number; id: string; sealed: Buffer; createdAt: Date },
): Promise<void> {
  await tx`
    insert into webhook_secrets (client_id, id, sealed, created_at)
    values (${secret.clientId}, ${secret.id}, ${secret.sealed}, ${secret.createdAt})`
}

/** Sealed secrets that still sign, newest first. */
export function readWebhookSecrets(run: Db | Tx, clientIds: number[], now: Date) {
  return run<{ clientId: number; id: string; sealed: Buffer }>`
    select client_id as "clientId", id, sealed
    from webhook_secrets
    where client_id = any(${clientIds}::integer[]) and (expires_at is null or expires_at > ${now})
    order by created_at desc, id desc`
}

/** Lets all of a client's webhook secrets end at a given moment, unless they end sooner. */
export async function expireWebhookSecrets(tx: Tx, clientId: number, at: Date): Promise<void> {
  await tx`
    update webhook_secrets set expires_at = ${at}
    where client_id = ${clientId} and (expires_at is null or expires_at > ${at})`
}
