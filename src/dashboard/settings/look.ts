import { changeClient } from '../../clients/clients.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { problemsOf } from '../frame/problems.ts'
import { savedText, settingsScreen } from '../settings.ts'
import { lookBytesMax, readLook } from './look-card.ts'

/** POST /dashboard/settings/look: logo and colour of the payment pages. */
export default function look(pages: Pages, { db, clock }: DashboardContext): void {
  pages.upload(
    '/dashboard/settings/look',
    { action: 'settings.change', bytesMax: lookBytesMax },
    async (visit, form) => {
      try {
        const change = readLook(form)
        await changeClient(db, clock, { id: visit.client.id, change, actor: visit.actor })
      } catch (problem) {
        return settingsScreen(db, visit, { look: problemsOf(problem, visit.language) })
      }
      return { to: '/dashboard/settings', text: savedText(visit.language) }
    },
  )
}
