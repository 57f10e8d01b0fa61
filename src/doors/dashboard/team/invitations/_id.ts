import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'

const words = inBoth({
  fr: { gone: fr`L'invitation est retirée : son lien ne sert plus.` },
  en: { gone: 'The invitation is withdrawn: its link no longer works.' },
})

/** POST …/invitations/:id: withdraws an invitation to a team, or of an operator. */
export default function invitation(pages: Pages, { people }: DashboardContext): void {
  const places = [
    ['/dashboard/team/invitations/:id', 'team.change'],
    ['/dashboard/ops/users/invitations/:id', 'ops.users.change'],
  ] as const
  for (const [path, action] of places)
    pages.action(path, { action, reviewed: null }, async (visit) => {
      const { client, role: actorRole, actor, language } = visit
      const order = { clientId: client?.id ?? null, id: visit.part('id'), actor, actorRole }
      if (!isUuid(order.id) || !(await people.invitations.withdraw(order))) return undefined
      return { to: path.replace('/invitations/:id', ''), text: words[language].gone }
    })
}
