import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { seenOfBlock } from '../blocks.ts'

const words = inBoth({
  fr: { free: (number: string) => fr`${number} n'est plus bloqué.` },
  en: { free: (number: string) => `${number} is no longer blocked.` },
})

/** POST /dashboard/ops/limits/blocks/remove */
export default function removeBlock(pages: Pages, { limits }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/limits/blocks/remove',
    {
      action: 'ops.limits.change',
      isSensitive: true,
      reviewed: {
        find: async (_visit, form) =>
          (await limits.blocked()).filter(({ phone }) => phone === form.get('number')),
        // One that is free is refused by the verb.
        facts: (visit, [one]) => (one === undefined ? [] : seenOfBlock(visit, one)),
      },
    },
    async ({ language, actor }, form) => {
      const number = await limits.unblock({ number: form.get('number'), actor })
      return { to: '/dashboard/ops/limits/blocks', text: words[language].free(number) }
    },
  )
}
