import { revokeKey } from '../../../../../../clients/keys.ts'
import type { DashboardContext } from '../../../../../context.ts'
import { seenOfKey } from '../../../../../developers/keys/key-parts.ts'
import { keyWords } from '../../../../../developers/keys/key-words.ts'
import type { Pages } from '../../../../../frame/pages.ts'
import { clientKeyOf } from '../_key.ts'

/** POST /dashboard/ops/clients/:id/keys/:key/revoke */
export default function revoke(pages: Pages, { db, clock }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/clients/:id/keys/:key/revoke',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      reviewed: {
        find: (visit) => clientKeyOf(db, visit),
        facts: (visit, { key }) => seenOfKey(visit, key),
      },
    },
    async (visit, _form, found) => {
      await revokeKey(db, clock, { id: found.key.id, actor: visit.actor })
      return { to: found.path, text: keyWords[visit.language].ended }
    },
  )
}
