import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { detailScreen } from '../tabs.ts'
import { findKey } from './find-key.ts'
import { keyChanges, keyFacts } from './key-parts.ts'
import { keyState } from './key-words.ts'

/** GET /dashboard/developers/keys/:id */
export default function key(pages: Pages, { clients }: DashboardContext): void {
  pages.screen('/dashboard/developers/keys/:id', 'developer.read', async (visit) => {
    const found = await findKey(clients, visit)
    if (found === undefined) return undefined
    const { client, key: one, path } = found
    const canChange = visit.may('key.change') && one.revokedAt === null && !one.isDashboard
    return detailScreen(visit, 'keys', {
      title: one.label,
      aside: keyState(visit, one),
      body: html`${keyFacts(visit, one, client.ratePerMinute)}
${canChange && keyChanges(visit, path, one)}`,
    })
  })
}
