import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

const words = inBoth({
  fr: {
    given: (email: string) => fr`Donnez ce lien à ${email}, et à personne d'autre.`,
    over: fr`Ce lien n'est plus valable, ou il a déjà été affiché.`,
    operator: fr`Le lien d'un opérateur n'est pas affiché ici. Sur le serveur : « passerelle mail
      show ».`,
  },
  en: {
    given: (email: string) => `Give this link to ${email}, and to nobody else.`,
    over: 'This link is no longer valid, or was already shown.',
    operator: 'An operator’s link is not shown here. On the server: “passerelle mail show”.',
  },
})

/** POST /dashboard/ops/mails/:id/link: shows the link of a mail that could not leave, once */
export default function link(pages: Pages, { mails, people }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/mails/:id/link',
    { action: 'ops.users.change', isSensitive: true, reviewed: null },
    async (visit) => {
      const id = visit.part('id')
      const mail = isUuid(id) ? await mails.find(id) : undefined
      if (mail === undefined) return undefined
      const { given, over, operator } = words[visit.language]
      const to = `/dashboard/ops/mails/${id}`
      const taken = await people.invitations.takeKeptLink({ mail, actor: visit.actor })
      if (typeof taken === 'object') return { to, text: given(mail.recipient), secret: taken.link }
      return { to, text: taken === 'over' ? over : operator, tone: 'bad' }
    },
  )
}
