import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import type { ListedKey } from '#merchants/clients/key-store.ts'
import type { Clients } from '#merchants/clients/open.ts'
import { detailScreen } from '../tabs.ts'
import { keyChanges, keyFacts } from './key-parts.ts'
import { keyState } from './key-words.ts'

/** A key of the client that is shown; undefined: another's, or none. */
export async function keyOf(clients: Clients, visit: Visit): Promise<ListedKey | undefined> {
  const keys = await clients.keys.list(visit.client.id)
  return keys.find(({ id }) => id === visit.part('id'))
}

/** GET /dashboard/developers/keys/:id */
export default function key(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/developers/keys/:id', 'developer.read', async (visit) => {
    const found = await keyOf(clients, visit)
    if (found === undefined) return undefined
    const client = await clients.find(visit.client.id)
    const canChange = visit.may('key.change') && found.revokedAt === null && !found.isDashboard
    return detailScreen(visit, 'keys', {
      title: found.label,
      aside: keyState(visit, found),
      body: html`${keyFacts(visit, found, client?.ratePerMinute ?? 0)}
${canChange && keyChanges(visit, `/dashboard/developers/keys/${found.id}`, found)}`,
    })
  })
}
