import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { wholeClient } from '#merchants/clients/scope.ts'

const words = inBoth({
  fr: { sent: fr`Le webhook est renvoyé. La réponse s'affiche ci-dessous.` },
  en: { sent: 'The webhook is being resent. The answer is shown below.' },
})

/** POST /dashboard/transactions/:id/resend */
export default function resend(pages: Pages, { reports, webhooks }: DashboardContext): void {
  pages.action(
    '/dashboard/transactions/:id/resend',
    { action: 'event.resend', reviewed: null },
    async ({ part, client, language }) => {
      const id = part('id')
      const detail = isUuid(id) ? await reports.detail({ clientId: client.id, id }) : undefined
      if (detail === undefined || detail.event === null) return undefined
      await webhooks.feed.replay(wholeClient(client.id), detail.event.id)
      return { to: `/dashboard/transactions/${id}`, text: words[language].sent }
    },
  )
}
