import { fr } from '../../../../pages/typography.ts'
import type { Transaction } from '../../../../transactions/transaction.ts'
import { isTokenMissing } from '../../../../transactions/transaction.ts'
import type { DashboardContext } from '../../../context.ts'
import { statusWord } from '../../../frame/components.ts'
import type { Pages } from '../../../frame/pages.ts'
import { inBoth } from '../../../frame/words.ts'
import { findAny } from '../find-any.ts'

const words = inBoth({
  fr: {
    same: fr`Le prestataire n'a pas encore de résultat. Nous continuons à lui demander.`,
    ended: (state: string) => fr`Le prestataire a répondu. La transaction est terminée : ${state}.`,
  },
  en: {
    same: 'The provider has no result yet. We keep asking.',
    ended: (state: string) => `The provider answered. The transaction has ended: ${state}.`,
  },
})

const isAsked = (one: Transaction) => one.completedAt === null || isTokenMissing(one)

/** POST /dashboard/ops/transactions/:id/requery: asks the provider now */
export default function requery(pages: Pages, { transactions }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/transactions/:id/requery',
    { action: 'ops.transactions.requery' },
    async (visit) => {
      const found = await findAny(transactions, visit)
      if (found === undefined) return undefined
      // It may have ended since the page was shown: then there is nothing to ask.
      const asked = isAsked(found) ? await transactions.requery(found) : found
      const { same, ended } = words[visit.language]
      const state = statusWord(visit.language, asked.status)
      const text = isAsked(asked) ? same : ended(state)
      return { to: `/dashboard/ops/transactions/${found.id}`, text }
    },
  )
}
