import { isUuid } from '../../../../kit/ids.ts'
import { resendMail } from '../../../../mail/queue.ts'
import { findMailOfClient } from '../../../../mail/store.ts'
import type { DashboardContext } from '../../../context.ts'
import { resendWords } from '../../../frame/mail-parts.ts'
import type { Pages } from '../../../frame/pages.ts'

/** POST /dashboard/developers/mails/:id/resend */
export default function resend(pages: Pages, { db, clock, config }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/mails/:id/resend',
    { action: 'event.resend', reviewed: null },
    async (visit) => {
      const id = visit.part('id')
      const found = isUuid(id) ? await findMailOfClient(db, visit.client.id, id) : undefined
      if (found === undefined) return undefined
      const { done, already, noServer } = resendWords[visit.language]
      const to = `/dashboard/developers/mails/${id}`
      if (config.smtpUrl === null) return { to, text: noServer, tone: 'bad' }
      const isReleased = await resendMail(db, clock, { mail: found, actor: visit.actor })
      return { to, text: isReleased ? done : already }
    },
  )
}
