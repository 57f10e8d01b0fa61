import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

const words = inBoth({
  fr: { gone: fr`L'invitation est retirée : son lien ne sert plus.` },
  en: { gone: 'The invitation is withdrawn: its link no longer works.' },
})

/** POST /dashboard/team/invitations/:id: withdraws an invitation. */
export default function invitation(pages: Pages, { people }: DashboardContext): void {
  pages.action(
    '/dashboard/team/invitations/:id',
    { action: 'team.change', reviewed: null },
    async (visit) => {
      const { client, role: actorRole, actor, language } = visit
      const id = visit.part('id')
      if (!isUuid(id)) return undefined
      const order = { clientId: client.id, id, actor, actorRole }
      if (!(await people.invitations.withdraw(order))) return undefined
      return { to: '/dashboard/team', text: words[language].gone }
    },
  )
}
