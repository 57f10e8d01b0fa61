import { isUuid } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { problemsOf } from '#doors/dashboard/frame/problems.ts'
import { caseScreen } from '../_id.ts'

const words = inBoth({
  fr: { done: fr`La note est ajoutée.` },
  en: { done: 'The note is added.' },
})

/** POST /dashboard/ops/recon/cases/:id/note: what a person found out about a difference */
export default function note(pages: Pages, context: DashboardContext): void {
  pages.action(
    '/dashboard/ops/recon/cases/:id/note',
    { action: 'ops.recon.mend', reviewed: null },
    async (visit, form) => {
      const id = visit.part('id')
      if (!isUuid(id)) return undefined
      try {
        await context.recon.note(id, form.get('text'), visit.actor)
        const text = words[visit.language].done
        return { to: `/dashboard/ops/recon/cases/${id}`, text }
      } catch (problem) {
        if (!(problem instanceof Refusal) || problem.kind === 'not_found') throw problem
        const problems = problemsOf(problem, visit.language)
        return caseScreen(context, visit, id, problems, form.raw('text'))
      }
    },
  )
}
