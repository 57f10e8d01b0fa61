import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { assignedTo, caseScreen } from '../_id.ts'

const words = inBoth({
  fr: { done: fr`C'est noté.`, unknown: fr`Choisissez un opérateur de la liste.` },
  en: { done: 'It is noted.', unknown: 'Choose an operator from the list.' },
})

/** POST /dashboard/ops/recon/cases/:id/assign: who looks into a difference */
export default function assign(pages: Pages, context: DashboardContext): void {
  const { recon, people } = context
  pages.action(
    '/dashboard/ops/recon/cases/:id/assign',
    {
      action: 'ops.recon.mend',
      reviewed: {
        find: async (visit) => {
          const id = visit.part('id')
          return isUuid(id) ? (await recon.case(id)).case : undefined
        },
        facts: assignedTo,
      },
    },
    async (visit, form, { id }) => {
      const say = words[visit.language]
      const asked = form.get('person').toLowerCase()
      const operators = await people.operators.list()
      const found = operators.find(({ email }) => email.toLowerCase() === asked)
      if (asked !== '' && found === undefined)
        return caseScreen(context, visit, id, { person: say.unknown })
      await recon.assign(id, found?.email ?? null, visit.actor)
      return { to: `/dashboard/ops/recon/cases/${id}`, text: say.done }
    },
  )
}
