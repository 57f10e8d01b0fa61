import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { findAny } from '#doors/dashboard/ops/transactions/find-any.ts'
import { askAgain } from '../ask-again.ts'

/** POST …/requery of a transaction: asks the provider now. */
export default function requery(pages: Pages, { transactions }: DashboardContext): void {
  const places = [
    ['/dashboard/transactions/:id/requery', 'transaction.requery'],
    ['/dashboard/ops/transactions/:id/requery', 'ops.transactions.requery'],
  ] as const
  for (const [path, action] of places)
    pages.action(path, { action, reviewed: null }, async (visit) => {
      const found = await findAny(transactions, visit)
      if (found === undefined) return undefined
      const text = await askAgain(transactions, found, visit.language)
      return { to: path.replace(':id/requery', found.id), text }
    })
}
