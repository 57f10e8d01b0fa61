import { html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import { auditList } from '../frame/audit-list.ts'
import { facts } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'

const words = inBoth({
  fr: {
    chain: fr`Chaîne du journal`,
    linked: fr`Entrées chaînées`,
    waiting: fr`Pas encore chaînées`,
    head: fr`Dernière empreinte`,
  },
  en: {
    chain: 'Audit log chain',
    linked: 'Entries in the chain',
    waiting: 'Not chained yet',
    head: 'Last hash',
  },
})

/** GET /dashboard/ops/audit: what was done in the gateway and in all clients */
export default function audit(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/audit', 'ops.audit.read', async (visit) => {
    const say = words[visit.language]
    const [list, { number, hash, waiting }] = await Promise.all([
      auditList(context, visit),
      context.audit.chain(),
    ])
    return {
      title: list.title,
      section: 'audit',
      body: html`${list.body}<section class="card"><h2>${say.chain}</h2>${facts([
        [say.linked, number],
        [say.waiting, waiting],
        [say.head, html`<code>${hash}</code>`],
      ])}</section>`,
    }
  })
}
