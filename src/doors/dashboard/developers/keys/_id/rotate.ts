import type { DashboardContext } from '#doors/dashboard/context.ts'
import { readOverlapMs } from '#doors/dashboard/developers/overlap.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { keyOf } from '../_id.ts'
import { refuseBeyond } from '../granted.ts'
import { seenOfKey } from '../key-parts.ts'
import { keyWords } from '../key-words.ts'

/** POST /dashboard/developers/keys/:id/rotate */
export default function rotate(pages: Pages, { clients }: DashboardContext): void {
  pages.action(
    '/dashboard/developers/keys/:id/rotate',
    {
      action: 'key.change',
      isSensitive: true,
      reviewed: { find: (visit) => keyOf(clients, visit), facts: seenOfKey },
    },
    async (visit, form, key) => {
      // A key without a secret must not get one: it belongs to the dashboard alone.
      if (key.isDashboard) return undefined
      refuseBeyond(visit, key.rights)
      const order = { id: key.id, overlapMs: readOverlapMs(form), actor: visit.actor }
      const { secret } = await clients.keys.rotate(order)
      const to = `/dashboard/developers/keys/${key.id}`
      return { to, text: keyWords[visit.language].rotated, secret }
    },
  )
}
