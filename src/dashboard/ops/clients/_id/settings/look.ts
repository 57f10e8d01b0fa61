import { changeClient } from '../../../../../clients/clients.ts'
import type { DashboardContext } from '../../../../context.ts'
import type { Pages } from '../../../../frame/pages.ts'
import { problemsOf } from '../../../../frame/problems.ts'
import { lookBytesMax, readLook } from '../../../../settings/look-card.ts'
import { clientHref, clientOf, clientWords } from '../../client-screen.ts'
import { settingsScreen } from '../settings.ts'

/** POST /dashboard/ops/clients/:id/settings/look: logo and colour of the payment pages */
export default function look(pages: Pages, { db, clock }: DashboardContext): void {
  pages.upload(
    '/dashboard/ops/clients/:id/settings/look',
    { action: 'ops.clients.change', bytesMax: lookBytesMax },
    async (visit, form) => {
      const client = await clientOf(db, visit)
      if (client === undefined) return undefined
      const { id } = client
      try {
        await changeClient(db, clock, { id, change: readLook(form), actor: visit.actor })
      } catch (problem) {
        return settingsScreen(db, visit, client, { look: problemsOf(problem, visit.language) })
      }
      return { to: clientHref(id, 'settings'), text: clientWords[visit.language].saved }
    },
  )
}
