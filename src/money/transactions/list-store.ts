import { type Db, fragment } from '#data/db/db.ts'
import { onlyKey, type Viewer } from '#merchants/clients/scope.ts'
import { isFinal } from '#money/lifecycle/transitions.ts'
import type { Place } from './search-store.ts'
import { transactionColumns } from './store.ts'
import type { Transaction, TransactionStatus } from './transaction.ts'

/** What the transactions of a list have in common; null: anything. */
export interface TransactionFilter {
  /** One of these. */
  statuses: readonly TransactionStatus[] | null
  operation: Transaction['operation'] | null
  serviceCode: string | null
  /** Left out or null: any wallet, operator or biller. */
  provider?: string | null
  phone: string | null
  /** What stands for the number where it is no longer kept. */
  pseudonym?: string | null
  subMerchantId: string | null
  externalIdPrefix: string | null
  /** Whole francs, both included; left out or null: any amount. */
  amountMin?: number | null
  amountMax?: number | null
  /**
   * Which payments through links: those that paid, beside all others (`paid`) or alone (`only`), or
   * `none`. Left out: every one that was begun.
   */
  links?: 'paid' | 'only' | 'none'
}

/** Ids from `first` on and before `below`. */
export interface IdRange {
  first: string
  below: string
}

// Conditions that let the planner use an index: with a parameter that may be null it does not.
const anyStatus = fragment`true`
const isOpen = fragment`completed_at is null`
const anySubMerchant = fragment`true or`
const sameSubMerchant = fragment``

const linkConditions = {
  all: fragment`true`,
  paid: fragment`(link_id is null or status = 'SUCCESS')`,
  only: fragment`link_id is not null and status = 'SUCCESS'`,
  none: fragment`link_id is null`,
}
// Merchants give an external id to the link, not to the payment that is begun on it.
const ownExternalId = fragment`coalesce(external_id, (
  select l.external_id from links l
  where (l.client_id, l.id) = (transactions.client_id, transactions.link_id)))`

/** Whether only transactions that have not ended are asked for: few, and they have an index. */
export function areOpen(statuses: readonly TransactionStatus[] | null): boolean {
  return statuses !== null && statuses.every((one) => !isFinal('transaction', one))
}

/**
 * The id of the transaction `count` places before the end of a range, among all of a client or
 * those of a sub-merchant; undefined: none.
 */
export async function findNthFromEnd(
  db: Db,
  { clientId, subMerchantId }: { clientId: number; subMerchantId: string | null },
  { first, below }: IdRange,
  count: number,
): Promise<string | undefined> {
  const [row] = await db<{ id: string }>`
    select id from transactions
    where client_id = ${clientId} and id >= ${first} and id < ${below}
      and (${subMerchantId === null ? anySubMerchant : sameSubMerchant}
        sub_merchant_id = ${subMerchantId})
    order by id desc
    offset ${count - 1} limit 1`
  return row?.id
}

/** The first and the last id of a client's transactions in a range. */
export interface Ends {
  clientId: number
  oldest: string
  newest: string
}

/** The ends of each client's transactions in a range; clients without any are left out. */
export function findEndsOf(
  db: Db,
  clientIds: number[],
  { first, below }: IdRange,
): Promise<Ends[]> {
  return db<Ends>`
    select c as "clientId", o.id as oldest, n.id as newest
    from unnest(${clientIds}::integer[]) as c
    cross join lateral (
      select id from transactions
      where client_id = c and id >= ${first} and id < ${below}
      order by id limit 1) o
    cross join lateral (
      select id from transactions
      where client_id = c and id >= ${first} and id < ${below}
      order by id desc limit 1) n`
}

/**
 * The last transactions of a range that pass a filter, newest first: by the index of those that
 * have not ended, by that of sub-merchants, or along the primary key. It looks at so many of them
 * at most, and at no more than it takes to fill the list.
 */
export function listTransactions(
  db: Db,
  viewer: Viewer,
  range: IdRange,
  filter: TransactionFilter,
  limits: { limit: number; examined: number },
): Promise<Transaction[]> {
  return readFiltered<Transaction>(db, viewer, range, filter, { ...asRows, ...limits })
}

/** Of transactions: how many, and what those that have succeeded moved in the account. */
export interface TransactionSum {
  count: number
  succeeded: number
  /** Collections above zero, all others below; without fees. */
  amount: number
}

/** The sum of the same transactions, so many of the range at most. */
export async function sumTransactions(
  db: Db,
  viewer: Viewer,
  range: IdRange,
  filter: TransactionFilter,
  examined: number,
): Promise<TransactionSum> {
  const how = { ...asSum, limit: 1, examined }
  const [sum] = await readFiltered<TransactionSum>(db, viewer, range, filter, how)
  return sum ?? { count: 0, succeeded: 0, amount: 0 }
}

const asRows = { what: transactionColumns, order: fragment`order by id desc` }
const asSum = {
  what: fragment`count(*)::integer as count,
    count(*) filter (where status = 'SUCCESS')::integer as succeeded,
    coalesce(sum(case operation when 'CASHOUT' then amount else -amount end)
      filter (where status = 'SUCCESS'), 0)::bigint as amount`,
  order: fragment``,
}

function readFiltered<Row extends object>(
  db: Db,
  viewer: Viewer,
  { first, below }: IdRange,
  filter: TransactionFilter,
  { what, order, limit, examined }: typeof asRows & { limit: number; examined: number },
): Promise<Row[]> {
  const { statuses, operation, serviceCode, provider = null, externalIdPrefix } = filter
  const { subMerchantId, links = 'all', amountMin = null, amountMax = null } = filter
  return db<Row>`
    select ${what} from (
      select * from transactions
      where client_id = ${viewer.clientId} and id >= ${first} and id < ${below}
        and ${areOpen(statuses) ? isOpen : anyStatus}
        and (${subMerchantId === null ? anySubMerchant : sameSubMerchant}
          sub_merchant_id = ${subMerchantId})
      order by id desc
      limit ${examined}
    ) transactions
    where key_id = coalesce(${onlyKey(viewer)}, key_id)
      and status = any(coalesce(${statuses}::text[], array[status]))
      and amount between coalesce(${amountMin}::bigint, amount)
        and coalesce(${amountMax}::bigint, amount)
      and operation = coalesce(${operation}, operation)
      and service_code = coalesce(${serviceCode}, service_code)
      and (${provider}::text is null or split_part(service_code, '_', 1) = ${provider})
      and (${externalIdPrefix}::text is null or starts_with(${ownExternalId}, ${externalIdPrefix}))
      and ${linkConditions[links]}
    ${order}
    limit ${limit}`
}

/**
 * The same of one number: by the index of numbers, one place after the other. A place is read only
 * if those before do not fill the list, so that with the newest period first the rows of one client
 * come newest first; those of several are in the order of their places.
 */
export function listOfPhone(
  db: Db,
  { first, below, places }: IdRange & { places: Place[] },
  filter: TransactionFilter,
  { keyId, limit, perPlace = limit }: { keyId: string | null; limit: number; perPlace?: number },
): Promise<Transaction[]> {
  const { statuses, operation, serviceCode, provider = null, externalIdPrefix } = filter
  const { links = 'all', amountMin = null, amountMax = null } = filter
  const clientIds = places.map(({ clientId }) => clientId)
  const periods = places.map(({ period }) => period)
  const phones = [filter.phone, filter.pseudonym].filter((one) => typeof one === 'string')
  return db<Transaction>`
    select t.*
    from unnest(${clientIds}::integer[], ${periods}::text[]) as p (client_id, period)
    cross join lateral (
      select found.*
      from unnest(${phones}::text[]) as wanted
      cross join lateral (
        select ${transactionColumns} from transactions
        where client_id = p.client_id and left(id::text, 5) = p.period
          and phone = wanted and id >= ${first} and id < ${below}
          and key_id = coalesce(${keyId}, key_id)
          and status = any(coalesce(${statuses}::text[], array[status]))
          and amount between coalesce(${amountMin}::bigint, amount)
            and coalesce(${amountMax}::bigint, amount)
          and operation = coalesce(${operation}, operation)
          and service_code = coalesce(${serviceCode}, service_code)
          and (${provider}::text is null or split_part(service_code, '_', 1) = ${provider})
          and (${filter.subMerchantId}::text is null or sub_merchant_id = ${filter.subMerchantId})
          and (${externalIdPrefix}::text is null
            or starts_with(${ownExternalId}, ${externalIdPrefix}))
          and ${linkConditions[links]}
        order by id desc
        limit ${perPlace}
      ) found
      order by found.id desc
      limit ${perPlace}
    ) t
    limit ${limit}`
}
