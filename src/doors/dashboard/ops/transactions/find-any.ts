import { isUuid } from '#base/kit/ids.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

/** The transaction that the address names, whichever client's it is. */
export async function findAny(
  transactions: Transactions,
  visit: OpsVisit,
): Promise<Transaction | undefined> {
  const id = visit.part('id')
  const owner = isUuid(id) ? await transactions.ofAllClients.ownerOf(id) : undefined
  return owner === undefined ? undefined : transactions.findById(owner)
}
