import type { DashboardContext } from '#doors/dashboard/context.ts'
import { keyForm, keyFormWords, readKey } from '#doors/dashboard/developers/keys/key-form.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import type { Screen } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { clientDetail, clientHref, clientOf } from '#doors/dashboard/ops/clients/client-screen.ts'
import type { Client } from '#merchants/clients/store.ts'

/** GET, POST /dashboard/ops/clients/:id/keys/new */
export default function newKey(pages: Pages, { clients }: DashboardContext): void {
  pages.form(
    '/dashboard/ops/clients/:id/keys/new',
    {
      action: 'ops.clients.change',
      isSensitive: true,
      find: (visit) => clientOf(clients, visit),
      show: screen,
    },
    async (visit, form, client) => {
      const order = readKey(visit, form, null)
      const asked = { ...order, clientId: client.id, actor: visit.actor }
      const { id, secret } = await clients.keys.issue(asked)
      const to = `${clientHref(client.id, 'keys')}/${id}`
      return { to, text: keyFormWords[visit.language].made, secret }
    },
  )
}

function screen(visit: OpsVisit, client: Client, { typed = {}, problems }: Sent): Screen {
  const { title } = keyFormWords[visit.language]
  const action = `${clientHref(client.id, 'keys')}/new`
  const body = keyForm(visit, { action, rateMax: null, typed, problems })
  return clientDetail(visit, client, { tab: 'keys', title, body })
}
