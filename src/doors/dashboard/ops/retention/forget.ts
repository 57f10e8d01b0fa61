import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import { numberScreen, seenOfNumber, words } from './number.ts'

/** POST /dashboard/ops/retention/forget: proposes that a number is forgotten */
export default function forgetNumber(pages: Pages, context: DashboardContext): void {
  const { numbers } = context
  pages.action(
    '/dashboard/ops/retention/forget',
    {
      action: 'ops.number.forget',
      isSensitive: true,
      reviewed: {
        find: (_visit, form) =>
          numbers.find({ number: form.get('number'), country: form.get('country') }),
        facts: seenOfNumber,
        again: (visit, found, form, changed) =>
          numberScreen(visit, found, { problems: {}, reason: form.get('reason'), changed }),
      },
    },
    async (visit, form, found) => {
      const reason = form.get('reason')
      try {
        const asker = { person: visit.actor, actor: visit.actor }
        const order = { number: form.get('number'), country: form.get('country'), reason }
        const requested = await numbers.forget(order, asker, `dash-${form.number}`)
        if (requested.kind === 'done') throw new Error('one person is not enough')
        const to = `/dashboard/ops/approvals/${requested.approval.id}`
        return { to, text: words[visit.language].proposed }
      } catch (problem) {
        return numberScreen(visit, found, {
          problems: problemsOf(problem, visit.language),
          reason,
        })
      }
    },
  )
}
