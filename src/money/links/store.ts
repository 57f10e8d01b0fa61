import { columns, type Db, fragment, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { transactionColumns } from '#money/transactions/store.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import type { Link } from './link.ts'

export const linkColumns = columns([
  'client_id',
  'id',
  'key_id',
  'external_id',
  'sub_merchant_id',
  'payee_name',
  'item_name',
  'amount',
  'custom_data',
  'callback_url',
  'success_url',
  'failure_url',
  'customer_name',
  'customer_phone',
  'customer_email',
  'language',
  'status',
  'attempts',
  'open_id',
  'paid_id',
  'created_at',
  'expires_at',
  'completed_at',
  'due_at',
])

interface Id {
  clientId: number
  id: string
}

const linkIds = rowsOf({ clientId: 'integer', id: 'uuid' })
const newLinks = rowsOf({
  clientId: 'integer',
  id: 'uuid',
  keyId: 'uuid',
  externalId: 'text',
  subMerchantId: 'text',
  payeeName: 'text',
  itemName: 'text',
  amount: 'bigint',
  customData: 'text',
  callbackUrl: 'text',
  successUrl: 'text',
  failureUrl: 'text',
  customerName: 'text',
  customerPhone: 'text',
  customerEmail: 'text',
  language: 'text',
  status: 'text',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
  dueAt: 'timestamptz',
})
const changedLinks = rowsOf({
  clientId: 'integer',
  id: 'uuid',
  attempts: 'smallint',
  openId: 'uuid',
  paidId: 'uuid',
  dueAt: 'timestamptz',
})

export async function insertLinks(tx: Tx, links: Link[]): Promise<void> {
  await tx`
    insert into links (client_id, id, key_id, external_id, sub_merchant_id, payee_name, item_name,
      amount, custom_data, callback_url, success_url, failure_url, customer_name, customer_phone,
      customer_email, language, status, created_at, expires_at, due_at)
    select "clientId", id, "keyId", "externalId", "subMerchantId", "payeeName", "itemName", amount,
      "customData", "callbackUrl", "successUrl", "failureUrl", "customerName", "customerPhone",
      "customerEmail", language, status, "createdAt", "expiresAt", "dueAt"
    from ${newLinks(links)} as l`
}

/** The one link of a range of ids; undefined: there is none, or more than one. */
export async function findOnlyId(
  db: Db,
  { first, last }: { first: string; last: string },
): Promise<string | undefined> {
  const [found, another] = await db<{ id: string }>`
    select id from links where id between ${first} and ${last} limit 2`
  return another === undefined ? found?.id : undefined
}

/** Locks links in id order. */
export function lockLinks(tx: Tx, ids: Id[]): Promise<Link[]> {
  return tx<Link>`
    select ${linkColumns} from links
    where (client_id, id) in (
      select "clientId", id from ${linkIds(ids)} as i
    )
    order by client_id, id
    for update`
}

/** Writes what may change of links, statuses excepted: those are the lifecycle's. */
export async function updateLinks(tx: Tx, links: Link[]): Promise<void> {
  await tx`
    update links l
    set attempts = n.attempts, open_id = n."openId", paid_id = n."paidId", due_at = n."dueAt"
    from ${changedLinks(links)} as n
    where (l.client_id, l.id) = (n."clientId", n.id)`
}

/** Ends the lifetime of a locked link, and makes it due. */
export async function shortenLifetime(tx: Tx, { clientId, id }: Id, now: Date): Promise<void> {
  await tx`
    update links set expires_at = ${now}, due_at = ${now}
    where client_id = ${clientId} and id = ${id}`
}

/** Postpones the next look at a link whose payment is under way. */
export async function postponeLink(db: Db, { clientId, id }: Id, dueAt: Date): Promise<void> {
  await db`
    update links set due_at = ${dueAt}
    where client_id = ${clientId} and id = ${id} and open_id is not null`
}

/** A link of any client by its id, which is all that a payer has. */
export async function findLink(run: Db | Tx, id: string): Promise<Link | undefined> {
  const [found] = await run<Link>`select ${linkColumns} from links where id = ${id}`
  return found
}

export function findLinks(run: Db | Tx, ids: Id[]): Promise<Link[]> {
  return run<Link>`
    select ${linkColumns} from links
    where (client_id, id) in (select "clientId", id from ${linkIds(ids)} as i)`
}

/** The ids of the links that payments were begun on, by those of the payments. */
export async function readLinkIds(run: Db | Tx, payments: Id[]): Promise<Map<string, string>> {
  const rows = await run<{ id: string; linkId: string }>`
    select id, link_id as "linkId" from transactions
    where (client_id, id) in (select "clientId", id from ${linkIds(payments)} as i)
      and link_id is not null`
  return new Map(rows.map(({ id, linkId }) => [id, linkId]))
}

/** A client's own link, by our id or the client's. */
export async function findClientsLink(
  run: Db | Tx,
  clientId: number,
  wanted: { id: string } | { externalId: string },
): Promise<Link | undefined> {
  const [found] =
    'id' in wanted
      ? await run<Link>`
          select ${linkColumns} from links where client_id = ${clientId} and id = ${wanted.id}`
      : await run<Link>`
          select ${linkColumns} from links
          where client_id = ${clientId} and id = (
            select record_id from external_ids
            where client_id = ${clientId} and external_id = ${wanted.externalId})`
  return found
}

/** The newest payment through a link. */
export async function findLastPayment(db: Db, link: Id): Promise<string | undefined> {
  const [found] = await db<{ id: string }>`
    select id from transactions
    where client_id = ${link.clientId} and link_id = ${link.id} and operation = 'CASHOUT'
    order by created_at desc, id desc
    limit 1`
  return found?.id
}

/** The payments that were begun on a link, newest first: five at most. */
export function readTries(run: Db | Tx, link: Id): Promise<Transaction[]> {
  return run<Transaction>`
    select ${transactionColumns} from transactions
    where client_id = ${link.clientId} and link_id = ${link.id} and operation = 'CASHOUT'
    order by created_at desc, id desc`
}

const version = fragment`concat_ws('.', l.status, l.attempts, l.open_id is null, t.status,
  t.attempt_state, t.payment_url is not null, t.otp_tries, t.confirmed_at is not null)`

/** A version for each link: a text that changes whenever what its payer can see changes. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; version: string }>`
    select l.id, ${version} as version
    from links l
    left join transactions t on (t.client_id, t.id) = (l.client_id, l.open_id)
    where l.id = any(${ids}::uuid[])`
  return new Map(rows.map((one) => [one.id, one.version]))
}

/** The same for links of clients, whose keys are `17 ID`. */
export async function readMarks(db: Db, keys: string[]): Promise<Map<string, string>> {
  const rows = await db<{ key: string; version: string }>`
    select w.key, ${version} as version
    from unnest(${keys}::text[]) as w (key)
    join links l on (l.client_id, l.id)
      = (split_part(w.key, ' ', 1)::integer, split_part(w.key, ' ', 2)::uuid)
    left join transactions t on (t.client_id, t.id) = (l.client_id, l.open_id)`
  return new Map(rows.map((one) => [one.key, one.version]))
}
