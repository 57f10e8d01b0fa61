import type { Html, Piece } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { isUuid } from '../../../kit/ids.ts'
import { formatCount } from '../../../kit/money.ts'
import type { Break } from '../../../verify/break.ts'
import type { Proof } from '../../../verify/proof.ts'
import type { DashboardContext } from '../../context.ts'
import { facts, moment } from '../../frame/components.ts'
import type { Pages } from '../../frame/pages.ts'
import { table } from '../../frame/table.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { proofState, tookText } from './parts.ts'
import { words } from './words.ts'

/** GET /dashboard/ops/proof/:id: how far it is, or what it came to */
export default function oneProof(pages: Pages, { proofs }: DashboardContext): void {
  pages.screen(
    '/dashboard/ops/proof/:id',
    'ops.read',
    async (visit) => {
      const id = visit.part('id')
      const found = isUuid(id) ? await proofs.find(id) : undefined
      if (found === undefined) return undefined
      const say = words[visit.language]
      return {
        title: say.one,
        section: 'ledger',
        body: html`<p><a href="/dashboard/ops/proof">${say.title}</a></p>
<div class="head"><h1>${say.one}</h1>${proofState(visit, found)}</div>
${found.endedAt === null ? progress(visit, found) : end(visit, found)}
<section class="card">${facts([
          [say.when, moment(visit, found.askedAt)],
          [say.by, html`<bdi>${found.askedBy}</bdi>`],
          [say.ended, found.endedAt !== null && moment(visit, found.endedAt)],
          [say.took, tookText(visit, found)],
          [say.postings, count(found.postings)],
          [say.entries, count(found.entries)],
          [say.accounts, count(found.accounts)],
          [say.anchors, count(found.anchors)],
        ])}</section>`,
      }
    },
    'proof',
  )
}

function count(number: number | null): string | null {
  return number === null ? null : formatCount(number)
}

function progress({ language }: OpsVisit, { id, done, total }: Proof): Html {
  const say = words[language]
  const path = `/dashboard/ops/proof/${id}`
  return html`<section class="card">
<progress max="${Math.max(1, total)}" value="${done}" aria-label="${say.progress}"></progress>
<p>${say.read(formatCount(done), formatCount(total))}</p><p class="hint">${say.leave}</p>
<p class="ways"><a class="button second" href="${path}">${say.refresh}</a></p></section>`
}

function end(visit: OpsVisit, { breaks, problem, postings }: Proof): Piece {
  const say = words[visit.language]
  if (problem !== null)
    return html`<div class="notice bad"><p>${say.failedText}</p>
<p><code>${problem}</code></p></div>`
  if (breaks === null || breaks.length === 0)
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
        cell: ({ where, what }) => html`<bdi>${where} ${what}</bdi>`,
      },
      { name: say.promise, cell: ({ promise }) => html`<code>${promise}</code>` },
      { name: say.client, cell: ({ clientId }) => clientId },
    ],
    { caption: say.breaks },
  )}</section>`
}
