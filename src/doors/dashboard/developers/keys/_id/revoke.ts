import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { revokeKey } from '#merchants/clients/keys.ts'
import { keyOf } from '../_id.ts'
import { seenOfKey } from '../key-parts.ts'
import { keyWords } from '../key-words.ts'

/** POST /dashboard/developers/keys/:id/revoke */
export default function revoke(pages: Pages, { db, clock }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/keys/:id/revoke',
    {
      action: 'key.change',
      isSensitive: true,
      reviewed: { find: (visit) => keyOf(db, visit), facts: seenOfKey },
    },
    async (visit, _form, key) => {
      if (key.isDashboard) return undefined
      await revokeKey(db, clock, { id: key.id, actor: visit.actor })
      const to = `/dashboard/developers/keys/${key.id}`
      return { to, text: keyWords[visit.language].ended }
    },
  )
}
