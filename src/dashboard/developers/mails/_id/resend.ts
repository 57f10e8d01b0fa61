import { isUuid } from '../../../../kit/ids.ts'
import { resendMail } from '../../../../mail/queue.ts'
import { findMailOfClient } from '../../../../mail/store.ts'
import { fr } from '../../../../pages/typography.ts'
import type { DashboardContext } from '../../../context.ts'
import type { Pages } from '../../../frame/pages.ts'
import { inBoth } from '../../../frame/words.ts'

const words = inBoth({
  fr: {
    done: fr`L'e-mail part de nouveau. Son état est ci-dessous.`,
    already: fr`Cet e-mail est déjà en route ou envoyé.`,
    noServer: fr`Il n'y a pas de serveur d'e-mail : rien ne peut partir.`,
  },
  en: {
    done: 'The mail is being sent again. Its state is below.',
    already: 'This mail is on its way or sent already.',
    noServer: 'There is no mail server: nothing can be sent.',
  },
})

/** POST /dashboard/developers/mails/:id/resend */
export default function resend(pages: Pages, { db, clock, config }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/mails/:id/resend',
    { action: 'event.resend' },
    async (visit) => {
      const id = visit.part('id')
      const found = isUuid(id) ? await findMailOfClient(db, visit.client.id, id) : undefined
      if (found === undefined) return undefined
      const { done, already, noServer } = words[visit.language]
      const to = `/dashboard/developers/mails/${id}`
      if (config.smtpUrl === null) return { to, text: noServer }
      const isReleased = await resendMail(db, clock, { mail: found, actor: visit.actor })
      return { to, text: isReleased ? done : already }
    },
  )
}
