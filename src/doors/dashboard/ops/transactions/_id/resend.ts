import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { findAny } from '../find-any.ts'

const words = inBoth({
  fr: { sent: fr`Le webhook est renvoyé. La réponse s'affiche ci-dessous.` },
  en: { sent: 'The webhook is being resent. The answer is shown below.' },
})

/** POST /dashboard/ops/transactions/:id/resend: sends its event to the merchant again */
export default function resend(pages: Pages, context: DashboardContext): void {
  const { transactions, reports, webhooks } = context
  pages.action(
    '/dashboard/ops/transactions/:id/resend',
    { action: 'ops.webhooks.resend', reviewed: null },
    async (visit) => {
      const found = await findAny(transactions, visit)
      const detail = found === undefined ? undefined : await reports.detail(found)
      if (found === undefined || !detail?.event) return undefined
      await webhooks.feed.replay(wholeClient(found.clientId), detail.event.id)
      const text = words[visit.language].sent
      return { to: `/dashboard/ops/transactions/${found.id}`, text }
    },
  )
}
