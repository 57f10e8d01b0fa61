import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { approvalScreen, findShown, seenOf } from '../_id.ts'

const words = inBoth({
  fr: { approved: fr`Approuvé et exécuté.`, refused: fr`Refusé : aucun argent n'a bougé.` },
  en: { approved: 'Approved and carried out.', refused: 'Refused: no money moved.' },
})

/** POST /dashboard/ops/approvals/:id/decide: another person approves, or somebody refuses. */
export default function decide(pages: Pages, context: DashboardContext): void {
  pages.action(
    '/dashboard/ops/approvals/:id/decide',
    {
      action: 'ops.money.approve',
      isSensitive: true,
      reviewed: {
        find: (visit) => findShown(context, visit.part('id')),
        // One that is decided is refused by the verb, which says by whom.
        facts: (visit, shown) => (shown.one.state === 'open' ? seenOf(visit, shown) : []),
      },
      refused: (visit, problems, _form, { one }) =>
        approvalScreen(context, visit, one.id, problems),
    },
    async (visit, form, { one: { id } }) => {
      const verb = form.get('verb')
      if (!['approve', 'refuse'].includes(verb)) return undefined
      const say = words[visit.language]
      const decision = { id, person: visit.actor }
      const to = `/dashboard/ops/approvals/${id}`
      if (verb === 'refuse') {
        await context.approvals.refuse({ ...decision, reason: form.get('reason') })
        return { to, text: say.refused }
      }
      const { done } = await context.approvals.approve(decision)
      // As for any invitation: never in live mode, where only its mail proves the address.
      const isShown = pages.parts.isSandbox && context.config.smtpUrl === null
      const secret = done.kind === 'grant' && isShown ? done.url : null
      return { to, text: say.approved, ...(secret === null ? {} : { secret }) }
    },
  )
}
