import type { DashboardContext } from '#doors/dashboard/context.ts'
import { seenOfKey } from '#doors/dashboard/developers/keys/key-parts.ts'
import { keyWords } from '#doors/dashboard/developers/keys/key-words.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientKeyOf } from '../_key.ts'

/** POST /dashboard/ops/clients/:id/keys/:key/revoke */
export default function revoke(pages: Pages, { clients }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/clients/:id/keys/:key/revoke',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      reviewed: {
        find: (visit) => clientKeyOf(clients, visit),
        facts: (visit, { key }) => seenOfKey(visit, key),
      },
    },
    async (visit, _form, found) => {
      await clients.keys.revoke({ id: found.key.id, actor: visit.actor })
      return { to: found.path, text: keyWords[visit.language].ended }
    },
  )
}
