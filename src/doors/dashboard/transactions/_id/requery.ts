import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { askAgain } from '../ask-again.ts'

/** POST /dashboard/transactions/:id/requery */
export default function requery(pages: Pages, { transactions }: DashboardContext): void {
  pages.action(
    '/dashboard/transactions/:id/requery',
    { action: 'transaction.requery', reviewed: null },
    async ({ part, client, language }) => {
      const id = part('id')
      const found = isUuid(id)
        ? await transactions.findById({ clientId: client.id, id })
        : undefined
      if (found === undefined) return undefined
      const text = await askAgain(transactions, found, language)
      return { to: `/dashboard/transactions/${id}`, text }
    },
  )
}
