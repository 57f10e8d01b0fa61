import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { savedText, settingsScreen } from '../settings.ts'
import { lookBytesMax, lookFacts, readLook } from './look-card.ts'

/** POST /dashboard/settings/look: logo and colour of the payment pages. */
export default function look(pages: Pages, { clients }: DashboardContext): void {
  pages.upload(
    '/dashboard/settings/look',
    {
      action: 'settings.change',
      bytesMax: lookBytesMax,
      reviewed: { find: ({ client }) => clients.findBrand(client.id), facts: lookFacts },
      refused: (visit, look) => settingsScreen(clients, visit, { look }),
    },
    async (visit, form, brand) => {
      const change = readLook(form, brand)
      await clients.change({ id: visit.client.id, change, actor: visit.actor })
      return { to: '/dashboard/settings', text: savedText(visit.language) }
    },
  )
}
