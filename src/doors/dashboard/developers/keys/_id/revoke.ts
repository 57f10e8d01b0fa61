import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { keyOf } from '../_id.ts'
import { seenOfKey } from '../key-parts.ts'
import { keyWords } from '../key-words.ts'

/** POST /dashboard/developers/keys/:id/revoke */
export default function revoke(pages: Pages, { clients }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/keys/:id/revoke',
    {
      action: 'key.change',
      isSensitive: true,
      reviewed: { find: (visit) => keyOf(clients, visit), facts: seenOfKey },
    },
    async (visit, _form, key) => {
      if (key.isDashboard) return undefined
      await clients.keys.revoke({ id: key.id, actor: visit.actor })
      const to = `/dashboard/developers/keys/${key.id}`
      return { to, text: keyWords[visit.language].ended }
    },
  )
}
