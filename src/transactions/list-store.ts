import type { Viewer } from '../clients/scope.ts'
import { onlyKey } from '../clients/scope.ts'
import type { Db } from '../db/db.ts'
import { fragment } from '../db/db.ts'
import { transactionColumns } from './store.ts'
import type { Transaction, TransactionStatus } from './transaction.ts'

/** What the transactions of a list have in common; null: anything. */
export interface TransactionFilter {
  status: TransactionStatus | null
  operation: Transaction['operation'] | null
  serviceCode: string | null
  /** Left out or null: any wallet, operator or biller. */
  provider?: string | null
  phone: string | null
  subMerchantId: string | null
  externalIdPrefix: string | null
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

/** The first and the last id of a client's transactions in a range; undefined: there are none. */
export async function findEnds(
  db: Db,
  clientId: number,
  { first, below }: IdRange,
): Promise<{ oldest: string; newest: string } | undefined> {
  const [row] = await db<{ oldest: string; newest: string }>`
    select o.id as oldest, n.id as newest
    from (
      select id from transactions
      where client_id = ${clientId} and id >= ${first} and id < ${below}
      order by id limit 1) o,
    (
      select id from transactions
      where client_id = ${clientId} and id >= ${first} and id < ${below}
      order by id desc limit 1) n`
  return row
}

/**
 * The last transactions of a range that pass a filter, newest first: by the index of those that
 * have not ended, by that of sub-merchants, or along the primary key. It looks at so many of them
 * at most, and at no more than it takes to fill the list.
 */
export function listTransactions(
  db: Db,
  viewer: Viewer,
  { first, below }: IdRange,
  filter: TransactionFilter,
  { limit, examined }: { limit: number; examined: number },
): Promise<Transaction[]> {
  const { status, operation, serviceCode, provider = null, externalIdPrefix } = filter
  const { subMerchantId } = filter
  return db<Transaction>`
    select ${transactionColumns} from (
      select * from transactions
      where client_id = ${viewer.clientId} and id >= ${first} and id < ${below}
        and ${status === 'PENDING' || status === 'PROCESSING' ? isOpen : anyStatus}
        and (${subMerchantId === null ? anySubMerchant : sameSubMerchant}
          sub_merchant_id = ${subMerchantId})
      order by id desc
      limit ${examined}
    ) transactions
    where key_id = coalesce(${onlyKey(viewer)}, key_id)
      and status = coalesce(${status}, status)
      and operation = coalesce(${operation}, operation)
      and service_code = coalesce(${serviceCode}, service_code)
      and (${provider}::text is null or split_part(service_code, '_', 1) = ${provider})
      and (${externalIdPrefix}::text is null or starts_with(external_id, ${externalIdPrefix}))
    order by id desc
    limit ${limit}`
}

/**
 * The same of one number: by the index of numbers, one period after the other. `periods` are the
 * first digits of ids, newest first; each period is read only if those before do not fill the list.
 */
export function listOfPhone(
  db: Db,
  viewer: Viewer,
  { first, below, periods }: IdRange & { periods: string[] },
  filter: TransactionFilter,
  limit: number,
): Promise<Transaction[]> {
  const { status, operation, serviceCode, provider = null, externalIdPrefix } = filter
  return db<Transaction>`
    select t.* from unnest(${periods}::text[]) as period
    cross join lateral (
      select ${transactionColumns} from transactions
      where client_id = ${viewer.clientId} and left(id::text, 5) = period
        and phone = ${filter.phone} and id >= ${first} and id < ${below}
        and key_id = coalesce(${onlyKey(viewer)}, key_id)
        and status = coalesce(${status}, status)
        and operation = coalesce(${operation}, operation)
        and service_code = coalesce(${serviceCode}, service_code)
        and (${provider}::text is null or split_part(service_code, '_', 1) = ${provider})
        and (${filter.subMerchantId}::text is null or sub_merchant_id = ${filter.subMerchantId})
        and (${externalIdPrefix}::text is null or starts_with(external_id, ${externalIdPrefix}))
      order by id desc
      limit ${limit}
    ) t
    limit ${limit}`
}
