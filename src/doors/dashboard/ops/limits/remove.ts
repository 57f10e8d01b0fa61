import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientIdFact, limitIn, seenOfLimit } from '../limits.ts'

const words = inBoth({
  fr: { removed: fr`La limite est supprimée.` },
  en: { removed: 'The limit is removed.' },
})

/** POST /dashboard/ops/limits/remove */
export default function remove(pages: Pages, { limits }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/limits/remove',
    {
      action: 'ops.limits.change',
      isSensitive: true,
      reviewed: {
        find: async (_visit, form) => {
          const clientId = /^\d{1,9}$/.test(form.get('client')) ? Number(form.get('client')) : 0
          const scope = form.get('scope')
          const listed = await limits.list(clientId)
          return { clientId, scope, limit: limitIn(listed, clientId, scope) }
        },
        // One that is gone is refused by the verb.
        facts: ({ language }, { clientId, scope, limit }) =>
          limit === undefined
            ? []
            : [clientIdFact(language, clientId), ...seenOfLimit(language, scope, limit)],
      },
    },
    async ({ language, actor }, _form, { clientId, scope }) => {
      await limits.remove({ clientId, scope, actor })
      return { to: '/dashboard/ops/limits', text: words[language].removed }
    },
  )
}
