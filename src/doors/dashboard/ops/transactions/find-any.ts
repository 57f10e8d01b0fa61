import { isUuid } from '#base/kit/ids.ts'
import type { OpsVisit, Visit } from '#doors/dashboard/frame/visit.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

/** The transaction that the address names: of the client that is shown, or of any. */
export async function findAny(
  transactions: Transactions,
  { part, client }: Visit | OpsVisit,
): Promise<Transaction | undefined> {
  const id = part('id')
  if (!isUuid(id)) return undefined
  const owner =
    client === null ? await transactions.ofAllClients.ownerOf(id) : { clientId: client.id, id }
  return owner && transactions.findById(owner)
}
