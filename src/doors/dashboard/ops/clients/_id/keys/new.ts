import type { DashboardContext } from '#doors/dashboard/context.ts'
import { keyForm, keyFormWords, readKey } from '#doors/dashboard/developers/keys/key-form.ts'
import type { Problems } from '#doors/dashboard/frame/fields.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { clientDetail, clientHref, clientOf } from '#doors/dashboard/ops/clients/client-screen.ts'
import type { Client } from '#merchants/clients/store.ts'

/** GET, POST /dashboard/ops/clients/:id/keys/new */
export default function newKey(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/ops/clients/:id/keys/new', 'ops.clients.change', async (visit) => {
    const client = await clientOf(clients, visit)
    return client === undefined ? undefined : screen(visit, client, {}, {})
  })

  pages.action(
    '/dashboard/ops/clients/:id/keys/new',
    { action: 'ops.clients.change', isSensitive: true, reviewed: null },
    async (visit, form) => {
      const client = await clientOf(clients, visit)
      if (client === undefined) return undefined
      const { order, problems } = readKey(visit, form, null)
      if (Object.keys(problems).length > 0) return screen(visit, client, form.fields, problems)
      const asked = { ...order, clientId: client.id, actor: visit.actor }
      const { id, secret } = await clients.keys.issue(asked)
      const to = `${clientHref(client.id, 'keys')}/${id}`
      return { to, text: keyFormWords[visit.language].made, secret }
    },
  )
}

function screen(
  visit: OpsVisit,
  client: Client,
  typed: Record<string, string>,
  problems: Problems,
): Screen {
  const { title } = keyFormWords[visit.language]
  const action = `${clientHref(client.id, 'keys')}/new`
  const body = keyForm(visit, { action, rateMax: null, typed, problems })
  return clientDetail(visit, client, { tab: 'keys', title, body })
}
