import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { findKey } from '#doors/dashboard/developers/keys/find-key.ts'
import { keyChanges, keyFacts } from '#doors/dashboard/developers/keys/key-parts.ts'
import { keyState } from '#doors/dashboard/developers/keys/key-words.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientDetail } from '#doors/dashboard/ops/clients/client-screen.ts'

/** GET /dashboard/ops/clients/:id/keys/:key */
export default function key(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/keys/:key', 'ops.read', async (visit) => {
    const found = await findKey(clients, visit)
    if (found === undefined) return undefined
    const { client, key: one, path } = found
    const canChange = visit.may('ops.clients.change') && one.revokedAt === null && !one.isDashboard
    const body = html`${keyFacts(visit, one, client.ratePerMinute)}
${canChange && keyChanges(visit, path, one)}`
    const aside = keyState(visit, one)
    return clientDetail(visit, client, { tab: 'keys', title: one.label, body, aside })
  })
}
