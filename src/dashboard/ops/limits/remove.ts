import { removeLimit } from '../../../limits/change.ts'
import { fr } from '../../../pages/typography.ts'
import type { DashboardContext } from '../../context.ts'
import type { Pages } from '../../frame/pages.ts'
import { inBoth } from '../../frame/words.ts'

const words = inBoth({
  fr: { removed: fr`La limite est supprimée.` },
  en: { removed: 'The limit is removed.' },
})

/** POST /dashboard/ops/limits/remove */
export default function remove(pages: Pages, { db, clock }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/limits/remove',
    { action: 'ops.limits.change', isSensitive: true },
    async ({ language, actor }, form) => {
      const clientId = /^\d{1,9}$/.test(form.get('client')) ? Number(form.get('client')) : 0
      const order = { clientId, scope: form.get('scope'), now: clock.now(), actor }
      await db.transaction((tx) => removeLimit(tx, order))
      return { to: '/dashboard/ops/limits', text: words[language].removed }
    },
  )
}
