import { isUuid } from '#base/kit/ids.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import { caseWords } from '#doors/dashboard/ops/recon/cases/words.ts'
import { statementScreen, toldBy } from '../_id.ts'
import { words } from '../words.ts'

/** POST /dashboard/ops/recon/statements/:id/withdraw: proposes that a statement is withdrawn. */
export default function withdraw(pages: Pages, context: DashboardContext): void {
  const { recon } = context
  pages.action(
    '/dashboard/ops/recon/statements/:id/withdraw',
    {
      action: 'ops.recon.import',
      isSensitive: true,
      reviewed: {
        find: async (visit) => {
          const id = visit.part('id')
          return isUuid(id) ? recon.get(id) : undefined
        },
        facts: toldBy,
      },
    },
    async (visit, form, { id }) => {
      try {
        const asker = { person: visit.actor, actor: visit.actor }
        const number = `dash-${form.number}`
        const requested = await recon.withdraw(id, form.get('reason'), asker, number)
        return requested.kind === 'done'
          ? { to: `/dashboard/ops/recon/statements/${id}`, text: words[visit.language].withdrawn }
          : {
              to: `/dashboard/ops/approvals/${requested.approval.id}`,
              text: caseWords[visit.language].proposed,
            }
      } catch (problem) {
        return statementScreen(context, visit, id, problemsOf(problem, visit.language))
      }
    },
  )
}
