import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { askAgain } from '#doors/dashboard/transactions/ask-again.ts'
import { findAny } from '../find-any.ts'

/** POST /dashboard/ops/transactions/:id/requery: asks the provider now */
export default function requery(pages: Pages, { transactions }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/transactions/:id/requery',
    { action: 'ops.transactions.requery', reviewed: null },
    async (visit) => {
      const found = await findAny(transactions, visit)
      if (found === undefined) return undefined
      const text = await askAgain(transactions, found, visit.language)
      return { to: `/dashboard/ops/transactions/${found.id}`, text }
    },
  )
}
