import type { Language } from '#base/kit/language.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { Fragment } from '#data/db/statement.ts'
import { type MerchantStatus, type Tier } from './statuses.ts'

export interface Client {
  id: number
  name: string
  merchantStatus: MerchantStatus
  tier: Tier
  ratePerMinute: number
  callbackUrl: string | null
  linkLifetimeS: number
  /** Where mail to the merchant goes, in `language`; null: it gets none. */
  email: string | null
  language: Language
  /** The zone of dates in pages and statements. */
  timeZone: string
  /** Of its payment pages, as `#0b6b4f`; null: ours. */
  colour: string | null
  /** On statements and receipts, beside the name; null: nothing. */
  address: string | null
  taxNumber: string | null
  isDemo: boolean
  createdAt: Date
}

type NewClient = Omit<
  Client,
  'id' | 'linkLifetimeS' | 'timeZone' | 'colour' | 'address' | 'taxNumber'
>

/** The new client's id, or undefined when the name is taken. */
export async function insertClient(tx: Tx, client: NewClient): Promise<number | undefined> {
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

const clientColumns = new Fragment(`id, name, merchant_status as "merchantStatus", tier,
  rate_per_minute as "ratePerMinute", callback_url as "callbackUrl", email, language,
  link_lifetime_seconds as "linkLifetimeS", time_zone as "timeZone", colour, address,
  tax_number as "taxNumber", is_demo as "isDemo", created_at as "createdAt"`)

export function findClients(run: Db | Tx, ids: number[]): Promise<Client[]> {
  return run<Client>`select ${clientColumns} from clients where id = any(${ids}::integer[])`
}

/** Every client, oldest first. */
export function readClients(db: Db): Promise<Client[]> {
  return db<Client>`select ${clientColumns} from clients order by id`
}

/**
 * Clients whose name contains a text or whose id it is, newest first, before one if it is given;
 * there are thousands at most, so that all names can be looked through.
 */
export function listClients(
  db: Db,
  list: { text: string; status: MerchantStatus | null; before: number | null; limit: number },
): Promise<Client[]> {
  return db<Client>`
    select ${clientColumns} from clients
    where (strpos(lower(name), lower(${list.text})) > 0 or id::text = ${list.text})
      and (${list.status}::text is null or merchant_status = ${list.status})
      and (${list.before}::integer is null or id < ${list.before})
    order by id desc
    limit ${list.limit}`
}

export async function findClient(run: Db | Tx, id: number): Promise<Client | undefined> {
  const [client] = await findClients(run, [id])
  return client
}

/** The same, and locks the row against changes until the transaction ends. */
export async function lockClient(tx: Tx, id: number): Promise<Client | undefined> {
  await tx`select from clients where id = ${id} for no key update`
  return findClient(tx, id)
}

export async function findClientId(run: Db | Tx, name: string): Promise<number | undefined> {
  const [row] = await run<{ id: number }>`select id from clients where name = ${name}`
  return row?.id
}

// Any fixed number.
const demoLock = 7_270_003

/** Takes an advisory lock: of processes that start together, one creates the demo clients. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${demoLock}),
    -- A month of payments is made inside of this transaction, which takes long on a busy machine.
    set_config('idle_in_transaction_session_timeout', '10min', true)`
}

export async function findDemoClients(run: Db | Tx): Promise<string[]> {
  const rows = await run<{
    name: string
  }>`select name from clients where is_demo order by id`
  return rows.map((row) => row.name)
}

/** Writes the columns of a client that can change; false when there is no such client. */
export async function updateClient(tx: Tx, client: Omit<Client, 'isDemo' | 'createdAt'>) {
  const rows = await tx`
    update clients set name = ${client.name}, merchant_status = ${client.merchantStatus},
      tier = ${client.tier}, rate_per_minute = ${client.ratePerMinute},
      callback_url = ${client.callbackUrl}, email = ${client.email}, language = ${client.language},
      link_lifetime_seconds = ${client.linkLifetimeS}, time_zone = ${client.timeZone},
      colour = ${client.colour}, address = ${client.address}, tax_number = ${client.taxNumber}
    where id = ${client.id} returning id`
  return rows.length === 1
}
