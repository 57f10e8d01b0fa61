import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

const words = inBoth({
  fr: { gone: fr`L'invitation est retirée : son lien ne sert plus.` },
  en: { gone: 'The invitation is withdrawn: its link no longer works.' },
})

/** POST /dashboard/ops/users/invitations/:id: withdraws an invitation */
export default function invitation(pages: Pages, { people }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/users/invitations/:id',
    { action: 'ops.users.change', reviewed: null },
    async (visit) => {
      const id = visit.part('id')
      const { actor, role: actorRole } = visit
      const order = { clientId: null, id, actor, actorRole }
      if (!isUuid(id) || !(await people.invitations.withdraw(order))) return undefined
      return { to: '/dashboard/ops/users', text: words[visit.language].gone }
    },
  )
}
