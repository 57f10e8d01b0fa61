import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { resendWords } from '#doors/dashboard/frame/mail-parts.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

/** POST /dashboard/developers/mails/:id/resend */
export default function resend(pages: Pages, { config, mails }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/mails/:id/resend',
    { action: 'event.resend', reviewed: null },
    async (visit) => {
      const id = visit.part('id')
      const found = isUuid(id) ? await mails.findOf(visit.client.id, id) : undefined
      if (found === undefined) return undefined
      const { done, already, noServer } = resendWords[visit.language]
      const to = `/dashboard/developers/mails/${id}`
      if (config.smtpUrl === null) return { to, text: noServer, tone: 'bad' }
      const isReleased = await mails.resend({ mail: found, actor: visit.actor })
      return { to, text: isReleased ? done : already }
    },
  )
}
