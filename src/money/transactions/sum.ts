import type { Db } from '#data/db/db.ts'
import { onlyKey, type Viewer } from '#merchants/clients/scope.ts'
import { examinedMax, idRange, type ListRange, placesOf } from './list.ts'
import {
  findNthFromEnd,
  listOfPhone,
  sumTransactions,
  type TransactionFilter,
  type TransactionSum,
} from './list-store.ts'
import { isDebit } from './transaction.ts'

// Of one number they are read one by one.
const ofPhoneMax = 1000

/** The sum of a list; `isWhole`: of all of it, not of its newest transactions only. */
export interface ListSum extends TransactionSum {
  isWhole: boolean
}

/** Sums what `listPage` lists; it looks at as many transactions at most as a page does. */
export async function sumList(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  { from, to }: Pick<ListRange, 'from' | 'to'>,
  examined = examinedMax,
): Promise<ListSum> {
  const range = idRange(from, to, null)
  const { phone, subMerchantId } = filter
  const { clientId } = viewer
  if (phone === null) {
    const [sum, floor] = await Promise.all([
      sumTransactions(db, viewer, range, filter, examined),
      findNthFromEnd(db, { clientId, subMerchantId }, range, examined + 1),
    ])
    return { ...sum, isWhole: floor === undefined }
  }
  const limit = Math.min(examined, ofPhoneMax)
  const places = await placesOf(db, [clientId], range)
  const how = { keyId: onlyKey(viewer), limit: limit + 1 }
  const found = await listOfPhone(db, { ...range, places }, filter, how)
  const summed = found.slice(0, limit)
  const done = summed.filter(({ status }) => status === 'SUCCESS')
  return {
    count: summed.length,
    succeeded: done.length,
    amount: done.reduce((sum, one) => sum + (isDebit(one) ? -one.amount : one.amount), 0),
    isWhole: found.length <= limit,
  }
}
