import { html } from '#base/kit/html.ts'
import { formatCount } from '#base/kit/money.ts'
import type { Proof } from '#operations/verify/proof-store.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { type Column, table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { proofResult, tookText } from './proof/parts.ts'
import { words } from './proof/words.ts'

/** GET /dashboard/ops/proof: the last proofs that `passerelle verify` has made */
export default function proof(pages: Pages, { proofs }: DashboardContext): void {
  pages.screen('/dashboard/ops/proof', 'ops.read', async (visit) => {
    const say = words[visit.language]
    const last = await proofs.list()
    return {
      title: say.title,
      section: 'ledger',
      body: html`<p class="back"><a href="/dashboard/ops/ledger">${say.ledger}</a></p>
<div class="head"><h1>${say.title}</h1></div>
<p class="hint">${say.about}</p>
<p>${say.run}<code>passerelle verify</code></p>
${last.length === 0 ? empty(say.none) : table(last, columnsFor(visit), { caption: say.title })}`,
    }
  })
}

function columnsFor(visit: OpsVisit): Column<Proof>[] {
  const say = words[visit.language]
  return [
    {
      name: say.when,
      isTitle: true,
      cell: ({ id, endedAt }) =>
        html`<a href="/dashboard/ops/proof/${id}">${moment(visit, endedAt)}</a>`,
    },
    { name: say.by, cell: ({ provedBy }) => html`<bdi>${provedBy}</bdi>` },
    { name: say.result, cell: (one) => proofResult(visit, one) },
    { name: say.entries, isNumeric: true, cell: ({ entries }) => formatCount(entries) },
    { name: say.took, isNumeric: true, cell: (one) => tookText(visit, one) },
  ]
}
