import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { clientHref, clientOf, clientWords } from '#doors/dashboard/ops/clients/client-screen.ts'
import { lookBytesMax, lookFacts, readLook } from '#doors/dashboard/settings/look-card.ts'
import { settingsScreen } from '../settings.ts'

/** POST /dashboard/ops/clients/:id/settings/look: logo and colour of the payment pages */
export default function look(pages: Pages, { clients }: DashboardContext): void {
  pages.upload(
    '/dashboard/ops/clients/:id/settings/look',
    {
      action: 'ops.clients.change',
      bytesMax: lookBytesMax,
      reviewed: {
        find: async (visit) => {
          const client = await clientOf(clients, visit)
          return client && { client, brand: await clients.findBrand(client.id) }
        },
        facts: (visit, { brand }, form) => lookFacts(visit, brand, form),
      },
      refused: (visit, look, _form, { client }) => settingsScreen(clients, visit, client, { look }),
    },
    async (visit, form, { client, brand }) => {
      const { id } = client
      await clients.change({ id, change: readLook(form, brand), actor: visit.actor })
      return { to: clientHref(id, 'settings'), text: clientWords[visit.language].saved }
    },
  )
}
