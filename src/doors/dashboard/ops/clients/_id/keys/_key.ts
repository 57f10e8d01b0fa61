import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { keyChanges, keyFacts } from '#doors/dashboard/developers/keys/key-parts.ts'
import { keyState } from '#doors/dashboard/developers/keys/key-words.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { clientDetail, clientHref, clientOf } from '#doors/dashboard/ops/clients/client-screen.ts'
import type { ListedKey } from '#merchants/clients/key-store.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Client } from '#merchants/clients/store.ts'

/** The client and the key of an address; undefined: one of them does not exist. */
export async function clientKeyOf(
  clients: Clients,
  visit: OpsVisit,
): Promise<{ client: Client; key: ListedKey; path: string } | undefined> {
  const client = await clientOf(clients, visit)
  if (client === undefined) return undefined
  const keys = await clients.keys.list(client.id)
  const key = keys.find(({ id }) => id === visit.part('key'))
  return key && { client, key, path: `${clientHref(client.id, 'keys')}/${key.id}` }
}

/** GET /dashboard/ops/clients/:id/keys/:key */
export default function key(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/keys/:key', 'ops.read', async (visit) => {
    const found = await clientKeyOf(clients, visit)
    if (found === undefined) return undefined
    const { client, key: one, path } = found
    const canChange = visit.may('ops.clients.change') && one.revokedAt === null && !one.isDashboard
    const body = html`${keyFacts(visit, one, client.ratePerMinute)}
${canChange && keyChanges(visit, path, one)}`
    const aside = keyState(visit, one)
    return clientDetail(visit, client, { tab: 'keys', title: one.label, body, aside })
  })
}
