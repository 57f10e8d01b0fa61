import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
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
      refused: (visit, problems, form, found) =>
        numberScreen(visit, found, { problems, reason: form.get('reason') }),
    },
    async (visit, form) => {
      const asker = { person: visit.actor, actor: visit.actor }
      const [number, country, reason] = [
        form.get('number'),
        form.get('country'),
        form.get('reason'),
      ]
      const order = { number, country, reason }
      const requested = await numbers.forget(order, asker, `dash-${form.number}`)
      if (requested.kind === 'done') throw new Error('one person is not enough')
      const to = `/dashboard/ops/approvals/${requested.approval.id}`
      return { to, text: words[visit.language].proposed }
    },
  )
}
