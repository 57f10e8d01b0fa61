import type { DashboardContext } from '#doors/dashboard/context.ts'
import { readOverlapMs } from '#doors/dashboard/developers/overlap.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { reviewedKey } from '../find-key.ts'
import { refuseBeyond } from '../granted.ts'
import { keyWords } from '../key-words.ts'

/** POST …/rotate of a key: of the merchant that is shown, and of any for operators. */
export default function rotate(pages: Pages, { clients }: DashboardContext): void {
  const places = [
    ['/dashboard/developers/keys/:id/rotate', 'key.change'],
    ['/dashboard/ops/clients/:id/keys/:key/rotate', 'ops.clients.change'],
  ] as const
  const reviewed = reviewedKey(clients)
  for (const [path, action] of places)
    pages.action(path, { action, isSensitive: true, reviewed }, async (visit, form, found) => {
      const { id, isDashboard, rights } = found.key
      // A key without a secret must not get one: it belongs to the dashboard alone.
      if (isDashboard) return undefined
      refuseBeyond(visit, rights)
      const order = { id, overlapMs: readOverlapMs(form), actor: visit.actor }
      const { secret } = await clients.keys.rotate(order)
      return { to: found.path, text: keyWords[visit.language].rotated, secret }
    })
}
