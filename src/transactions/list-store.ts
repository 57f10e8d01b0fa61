import type { Viewer } from '../clients/scope.ts'
import { onlyKey } from '../clients/scope.ts'
import type { Db } from '../db/db.ts'
import { transactionColumns } from './store.ts'
import type { Transaction, TransactionStatus } from './transaction.ts'

/** What the transactions of a list have in common; null: anything. */
export interface TransactionFilter {
  status: TransactionStatus | null
  operation: Transaction['operation'] | null
  serviceCode: string | null
  phone: string | null
  subMerchantId: string | null
  externalIdPrefix: string | null
}

/** Ids from `first` on and before `below`. */
export interface IdRange {
  first: string
  below: string
}

/** The id of the transaction `count` places before the end of a range; undefined: none. */
export async function findNthFromEnd(
  db: Db,
  clientId: number,
  { first, below }: IdRange,
  count: number,
): Promise<string | undefined> {
  const [row] = await db<{ id: string }>`
    select id from transactions
    where client_id = ${clientId} and id >= ${first} and id < ${below}
    order by id desc
    offset ${count - 1} limit 1`
  return row?.id
}

/** The last transactions of a range that pass a filter, newest first. */
export function listTransactions(
  db: Db,
  viewer: Viewer,
  { first, below }: IdRange,
  filter: TransactionFilter,
  limit: number,
): Promise<Transaction[]> {
  const { clientId } = viewer
  const { status, operation, serviceCode, phone, subMerchantId, externalIdPrefix } = filter
  return db<Transaction>`
    select ${transactionColumns} from transactions
    where client_id = ${clientId} and id >= ${first} and id < ${below}
      and key_id = coalesce(${onlyKey(viewer)}, key_id)
      and status = coalesce(${status}, status)
      and operation = coalesce(${operation}, operation)
      and service_code = coalesce(${serviceCode}, service_code)
      and phone = coalesce(${phone}, phone)
      and (${subMerchantId}::text is null or sub_merchant_id = ${subMerchantId})
      and (${externalIdPrefix}::text is null or starts_with(external_id, ${externalIdPrefix}))
    order by id desc
    limit ${limit}`
}
