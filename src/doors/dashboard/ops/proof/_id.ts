import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { formatCount } from '#base/kit/money.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment } from '#doors/dashboard/frame/components.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import type { Break } from '#operations/verify/break.ts'
import type { Proof } from '#operations/verify/proof-store.ts'
import { breakText } from './break-words.ts'
import { proofResult, tookText } from './parts.ts'
import { words } from './words.ts'

/** GET /dashboard/ops/proof/:id: what it came to */
export default function oneProof(pages: Pages, { proofs }: DashboardContext): void {
  pages.screen('/dashboard/ops/proof/:id', 'ops.read', async (visit) => {
    const id = visit.part('id')
    const found = isUuid(id) ? await proofs.find(id) : undefined
    if (found === undefined) return undefined
    const say = words[visit.language]
    return {
      title: say.one,
      section: 'ledger',
      body: html`<p class="back"><a href="/dashboard/ops/proof">${say.title}</a></p>
<div class="head"><h1>${say.one}</h1>${proofResult(visit, found)}</div>
${end(visit, found)}
<section class="card">${facts([
        [say.when, moment(visit, found.endedAt)],
        [say.by, html`<bdi>${found.provedBy}</bdi>`],
        [say.took, tookText(visit, found)],
        [say.postings, formatCount(found.postings)],
        [say.entries, formatCount(found.entries)],
        [say.accounts, formatCount(found.accounts)],
        [say.anchors, formatCount(found.anchors)],
      ])}</section>`,
    }
  })
}

function end(visit: OpsVisit, { breaks, postings }: Proof): Html {
  const say = words[visit.language]
  if (breaks.length === 0)
    return postings === 0
      ? html`<p class="notice">${say.nothing}.</p>`
      : html`<p class="notice good">${say.holds}.</p>`
  return html`<p class="notice bad" role="alert">${say.todo}</p>
<section class="card"><h2>${say.breaks}</h2>${table<Break>(
    breaks,
    [
      {
        name: say.what,
        isTitle: true,
        cell: ({ where, what }) => html`<bdi>${breakText(visit.language, { where, what })}</bdi>`,
      },
      { name: say.promise, cell: ({ promise }) => html`<code>${promise}</code>` },
      { name: say.client, cell: ({ clientId }) => clientId },
    ],
    { caption: say.breaks },
  )}</section>`
}
