import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { scopeWord, seenOfClosure } from '../maintenance.ts'

const words = inBoth({
  fr: { open: (what: string) => fr`${what} : ouvert.` },
  en: { open: (what: string) => `${what}: open.` },
})

/** POST /dashboard/ops/maintenance/end: opens again what was closed */
export default function end(pages: Pages, { catalog }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/maintenance/end',
    {
      action: 'ops.maintenance.change',
      reviewed: {
        find: async (_visit, form) =>
          (await catalog.closures()).filter(({ scope }) => scope === form.get('scope')),
        // One that has ended is refused by the verb.
        facts: (visit, [one]) => (one === undefined ? [] : seenOfClosure(visit, one)),
      },
    },
    async ({ language, actor }, form) => {
      const scope = form.get('scope')
      await catalog.reopen({ scope, actor })
      const to = '/dashboard/ops/maintenance'
      return { to, text: words[language].open(scopeWord(language, scope)) }
    },
  )
}
