import { html } from '#base/kit/html.ts'
import type { DashboardContext } from '../context.ts'
import { empty } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { frameWords } from '../frame/words.ts'
import { merchantTable } from './health-parts.ts'
import { healthWords } from './health-words.ts'

/** GET /dashboard/ops/webhooks: the merchants that their events do not reach */
export default function webhooks(pages: Pages, { health }: DashboardContext): void {
  pages.screen('/dashboard/ops/webhooks', 'ops.read', async (visit) => {
    const title = frameWords[visit.language].opsSections.webhooks
    const { backlog, delivered } = healthWords[visit.language]
    const backlogs = await health.backlogs()
    return {
      title,
      section: 'webhooks',
      body: html`<div class="head"><h1>${title}</h1></div>
<p class="hint">${backlog}</p>
${backlogs.length === 0 ? empty(delivered) : merchantTable(visit, backlogs)}`,
    }
  })
}
