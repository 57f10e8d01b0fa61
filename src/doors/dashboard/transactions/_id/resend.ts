import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { findAny } from '#doors/dashboard/ops/transactions/find-any.ts'
import { wholeClient } from '#merchants/clients/scope.ts'

const words = inBoth({
  fr: { sent: fr`Le webhook est renvoyé. La réponse s'affiche ci-dessous.` },
  en: { sent: 'The webhook is being resent. The answer is shown below.' },
})

/** POST …/resend of a transaction: sends its event to the merchant again. */
export default function resend(pages: Pages, context: DashboardContext): void {
  const { transactions, reports, webhooks } = context
  const places = [
    ['/dashboard/transactions/:id/resend', 'event.resend'],
    ['/dashboard/ops/transactions/:id/resend', 'ops.webhooks.resend'],
  ] as const
  for (const [path, action] of places)
    pages.action(path, { action, reviewed: null }, async (visit) => {
      const found = await findAny(transactions, visit)
      const detail = found && (await reports.detail(found))
      if (found === undefined || !detail?.event) return undefined
      await webhooks.feed.replay(wholeClient(found.clientId), detail.event.id)
      return { to: path.replace(':id/resend', found.id), text: words[visit.language].sent }
    })
}
