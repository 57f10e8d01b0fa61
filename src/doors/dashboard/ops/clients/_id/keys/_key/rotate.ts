import type { DashboardContext } from '#doors/dashboard/context.ts'
import { refuseBeyond } from '#doors/dashboard/developers/keys/granted.ts'
import { seenOfKey } from '#doors/dashboard/developers/keys/key-parts.ts'
import { keyWords } from '#doors/dashboard/developers/keys/key-words.ts'
import { readOverlapMs } from '#doors/dashboard/developers/overlap.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientKeyOf } from '../_key.ts'

/** POST /dashboard/ops/clients/:id/keys/:key/rotate */
export default function rotate(pages: Pages, { clients }: DashboardContext): void {
  pages.action(
    '/dashboard/ops/clients/:id/keys/:key/rotate',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      reviewed: {
        find: (visit) => clientKeyOf(clients, visit),
        facts: (visit, { key }) => seenOfKey(visit, key),
      },
    },
    async (visit, form, found) => {
      refuseBeyond(visit, found.key.rights)
      const order = { id: found.key.id, overlapMs: readOverlapMs(form), actor: visit.actor }
      const { secret } = await clients.keys.rotate(order)
      return { to: found.path, text: keyWords[visit.language].rotated, secret }
    },
  )
}
