import type { Approval } from '#backoffice/approvals/approval.ts'
import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { formatAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '../context.ts'
import { empty, hrefWith, moment, money } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { pager, table } from '../frame/table.ts'
import { chips } from '../frame/toolbar.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { approvalState, kindTitle } from './approvals/words.ts'

const words = inBoth({
  fr: {
    title: 'Approbations',
    lead: (amount: string) =>
      fr`Au-delà de ${amount}, en une fois ou en 24 heures, une personne propose et une autre
        approuve. Jusqu'à ce montant, l'effet est immédiat.`,
    always: fr`Une personne propose, une autre approuve.`,
    never: fr`Aucun montant ne demande une deuxième personne (APPROVAL_ABOVE=off).`,
    open: fr`À décider`,
    all: 'Toutes',
    what: 'Opération',
    client: 'Marchand',
    amount: 'Montant',
    by: fr`Proposé par`,
    until: fr`Valable jusqu'au`,
    state: fr`État`,
    none: fr`Aucune approbation en attente.`,
    nothing: fr`Rien n'a encore été proposé.`,
    start: fr`Proposer`,
  },
  en: {
    title: 'Approvals',
    lead: (amount: string) =>
      `Above ${amount}, in one go or within 24 hours, one person proposes and another approves. ` +
      'Up to that amount, it takes effect immediately.',
    always: 'One person proposes, another approves.',
    never: 'No amount needs a second person (APPROVAL_ABOVE=off).',
    open: 'To decide',
    all: 'All',
    what: 'Operation',
    client: 'Merchant',
    amount: 'Amount',
    by: 'Proposed by',
    until: 'Valid until',
    state: 'State',
    none: 'No pending approvals.',
    nothing: 'Nothing has been proposed yet.',
    start: 'Propose',
  },
})

const rowsPerPage = 50

/** GET /dashboard/ops/approvals: what waits for a second person, and what was decided */
export default function approvals(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/approvals', 'ops.read', async (visit) => {
    const say = words[visit.language]
    const { after = '' } = visit.query
    const isAll = visit.query.state === 'all'
    const below = isUuid(after) ? { below: after } : {}
    const found = await context.approvals.list({ isAll, ...below, limit: rowsPerPage + 1 })
    const rows = found.slice(0, rowsPerPage)
    const next = found.length > rowsPerPage ? (rows.at(-1)?.id ?? null) : null
    const names = new Map((await context.clients.all()).map(({ id, name }) => [id, name]))
    const ways = [false, true].map((one) => ({
      href: hrefWith(visit, { state: one ? 'all' : null, after: null }),
      text: one ? say.all : say.open,
      isCurrent: one === isAll,
    }))
    return {
      title: say.title,
      section: 'approvals',
      body: html`<div class="head"><h1>${say.title}</h1>${
        visit.may('ops.money.propose') &&
        html`<p class="ways"><a class="button" href="/dashboard/ops/approvals/new">${
          say.start
        }</a></p>`
      }</div>
<p class="hint">${leadOf(visit, context.approvals.above)}</p>
${chips(ways)}
${rows.length === 0 ? empty(isAll ? say.nothing : say.none) : list(visit, rows, names)}
${pager(visit, next)}`,
    }
  })
}

function leadOf({ language }: OpsVisit, above: number | null): string {
  const say = words[language]
  if (above === null) return say.never
  return above === 0 ? say.always : say.lead(formatAmount(above))
}

function list(visit: OpsVisit, rows: Approval[], names: Map<number, string>): Html {
  const say = words[visit.language]
  return table(
    rows,
    [
      {
        name: say.what,
        isTitle: true,
        cell: ({ id, kind }) =>
          html`<a href="/dashboard/ops/approvals/${id}">${kindTitle(visit.language, kind)}</a>`,
      },
      {
        name: say.client,
        cell: ({ clientId }) =>
          html`<bdi>${clientId === null ? '—' : (names.get(clientId) ?? clientId)}</bdi>`,
      },
      { name: say.amount, isNumeric: true, cell: ({ amount }) => money(amount) },
      { name: say.by, cell: ({ proposedBy }) => html`<bdi>${proposedBy}</bdi>` },
      { name: say.until, cell: ({ expiresAt }) => moment(visit, expiresAt) },
      { name: say.state, cell: (one) => approvalState(visit.language, one, visit.now) },
    ],
    { caption: say.title },
  )
}
