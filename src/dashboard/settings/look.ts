import { changeClient } from '../../clients/clients.ts'
import { readLogo } from '../../clients/logo.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { problemsOf } from '../frame/problems.ts'
import { savedText, settingsScreen } from '../settings.ts'
import { ownColour } from './look-card.ts'

// Enough for a picture from a phone, which is then refused with a sentence of its own.
const formBytesMax = 5_000_000

/** POST /dashboard/settings/look: logo and colour of the payment pages. */
export default function look(pages: Pages, { db, clock }: DashboardContext): void {
  pages.upload(
    '/dashboard/settings/look',
    { action: 'settings.change', bytesMax: formBytesMax },
    async (visit, form) => {
      const file = form.file('logo')
      const colour = form.get('colour').toLowerCase()
      const isOurs = form.has('resetColour') || colour === ownColour
      try {
        const change = {
          ...(form.has('colour') ? { colour: isOurs ? null : colour } : {}),
          ...(form.has('removeLogo') ? { logo: null } : {}),
          ...(file === undefined ? {} : { logo: readLogo(file.bytes) }),
        }
        await changeClient(db, clock, { id: visit.client.id, change, actor: visit.actor })
      } catch (problem) {
        return settingsScreen(db, visit, { look: problemsOf(problem, visit.language) })
      }
      return { to: '/dashboard/settings', text: savedText(visit.language) }
    },
  )
}
