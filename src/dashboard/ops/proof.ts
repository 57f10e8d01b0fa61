import { html } from '../../kit/html.ts'
import { formatCount } from '../../kit/money.ts'
import type { Proof } from '../../verify/proof.ts'
import type { DashboardContext } from '../context.ts'
import { empty, moment } from '../frame/components.ts'
import { tokenField } from '../frame/layout.ts'
import type { Pages } from '../frame/pages.ts'
import type { Column } from '../frame/table.ts'
import { table } from '../frame/table.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { ledgerWords } from './ledger/parts.ts'
import { proofState, tookText } from './proof/parts.ts'
import { words } from './proof/words.ts'

/** GET, POST /dashboard/ops/proof: the last proofs, and the button that asks for one */
export default function proof(pages: Pages, { proofs }: DashboardContext): void {
  pages.screen('/dashboard/ops/proof', 'ops.read', async (visit) => {
    const say = words[visit.language]
    const last = await proofs.list()
    const open = last.find(({ endedAt }) => endedAt === null)
    const mayRun = open === undefined && visit.may('ops.proof.run')
    return {
      title: say.title,
      section: 'ledger',
      body: html`<p><a href="/dashboard/ops/ledger">${ledgerWords[visit.language].ledger}</a></p>
<div class="head"><h1>${say.title}</h1>${
        mayRun &&
        html`<form method="post" action="/dashboard/ops/proof">${tokenField(visit)}
<button>${say.run}</button></form>`
      }</div>
<p class="hint">${say.about}</p>
${
  open !== undefined &&
  html`<p class="notice">${say.underWay}
<a href="/dashboard/ops/proof/${open.id}">${say.follow}</a></p>`
}
${last.length === 0 ? empty(say.none) : table(last, columnsFor(visit), { caption: say.title })}`,
    }
  })

  pages.action(
    '/dashboard/ops/proof',
    { action: 'ops.proof.run', reviewed: null },
    async (visit) => {
      const { id } = await proofs.ask(visit.actor)
      return { to: `/dashboard/ops/proof/${id}` }
    },
  )
}

function columnsFor(visit: OpsVisit): Column<Proof>[] {
  const say = words[visit.language]
  return [
    {
      name: say.when,
      isTitle: true,
      cell: ({ id, askedAt }) =>
        html`<a href="/dashboard/ops/proof/${id}">${moment(visit, askedAt)}</a>`,
    },
    { name: say.by, cell: ({ askedBy }) => html`<bdi>${askedBy}</bdi>` },
    { name: say.state, cell: (one) => proofState(visit, one) },
    {
      name: say.entries,
      isNumeric: true,
      cell: ({ entries }) => entries !== null && formatCount(entries),
    },
    { name: say.took, isNumeric: true, cell: (one) => tookText(visit, one) },
  ]
}
