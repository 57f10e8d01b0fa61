import { html } from '../../kit/html.ts'
import type { DashboardContext } from '../context.ts'
import type { Pages } from '../frame/pages.ts'
import { frameWords } from '../frame/words.ts'
import { merchantTable } from './health-parts.ts'

/** GET /dashboard/ops/webhooks: the merchants that their events do not reach */
export default function webhooks(pages: Pages, { health }: DashboardContext): void {
  pages.screen('/dashboard/ops/webhooks', 'ops.read', async (visit) => {
    const title = frameWords[visit.language].opsSections.webhooks
    return {
      title,
      section: 'webhooks',
      body: html`<div class="head"><h1>${title}</h1></div>
${merchantTable(visit, await health.backlogs())}`,
    }
  })
}
