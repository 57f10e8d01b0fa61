import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { reviewedKey } from '../find-key.ts'
import { keyWords } from '../key-words.ts'

/** POST …/revoke of a key: of the merchant that is shown, and of any for operators. */
export default function revoke(pages: Pages, { clients }: DashboardContext): void {
  const places = [
    ['/dashboard/developers/keys/:id/revoke', 'key.change'],
    ['/dashboard/ops/clients/:id/keys/:key/revoke', 'ops.clients.change'],
  ] as const
  const reviewed = reviewedKey(clients)
  for (const [path, action] of places)
    pages.action(path, { action, isSensitive: true, reviewed }, async (visit, _form, found) => {
      if (found.key.isDashboard) return undefined
      await clients.keys.revoke({ id: found.key.id, actor: visit.actor })
      return { to: found.path, text: keyWords[visit.language].ended }
    })
}
