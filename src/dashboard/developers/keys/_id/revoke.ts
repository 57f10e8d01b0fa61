import { revokeKey } from '../../../../clients/keys.ts'
import type { DashboardContext } from '../../../context.ts'
import type { Pages } from '../../../frame/pages.ts'
import { keyOf } from '../_id.ts'
import { keyWords } from '../key-words.ts'

/** POST /dashboard/developers/keys/:id/revoke */
export default function revoke(pages: Pages, { db, clock }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/keys/:id/revoke',
    { action: 'key.change', isSensitive: true },
    async (visit) => {
      const key = await keyOf(db, visit)
      if (key === undefined || key.isDashboard) return undefined
      await revokeKey(db, clock, { id: key.id, actor: visit.actor })
      const to = `/dashboard/developers/keys/${key.id}`
      return { to, text: keyWords[visit.language].ended }
    },
  )
}
