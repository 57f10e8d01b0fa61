import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { ClientNames } from '#merchants/clients/open.ts'
import type { Conflict } from '#money/transactions/conflict-store.ts'
import type { OpenRow } from '#money/transactions/timeline-store.ts'
import type { DashboardContext } from '../context.ts'
import { moment, money, status } from '../frame/components.ts'
import type { Pages } from '../frame/pages.ts'
import { pager, table } from '../frame/table.ts'
import { noteIn } from '../frame/technical-words.ts'
import type { OpsVisit } from '../frame/visit.ts'
import { frameWords } from '../frame/words.ts'
import { titleOf } from '../transactions/summary.ts'
import { outcomeWord } from '../transactions/timeline.ts'
import { causeWords, conflictWords } from './decide-words.ts'

const words = inBoth({
  fr: {
    title: fr`À décider`,
    parked: fr`Transactions à décider`,
    noParked: fr`Aucune transaction n'attend une décision.`,
    conflicts: 'Contradictions',
    noConflicts: fr`Aucune contradiction n'est ouverte.`,
    what: 'Transaction',
    client: 'Marchand',
    since: 'Depuis',
    amount: 'Montant',
    ordered: fr`Montant demandé`,
    reported: fr`Montant annoncé`,
    state: fr`État`,
    why: 'Pourquoi',
    todo: fr`Que faire`,
    conflict: 'Contradiction',
    last: fr`Dernière réponse :`,
    transaction: 'Voir la transaction',
  },
  en: {
    title: 'To decide',
    parked: 'Transactions to decide',
    noParked: 'No transaction is waiting for a decision.',
    conflicts: 'Conflicts',
    noConflicts: 'No conflict is open.',
    what: 'Transaction',
    client: 'Merchant',
    since: 'Since',
    amount: 'Amount',
    ordered: 'Amount requested',
    reported: 'Amount reported',
    state: 'Status',
    why: 'Why',
    todo: 'What to do',
    conflict: 'Conflict',
    last: 'Last answer:',
    transaction: 'View the transaction',
  },
})

const pageSize = 50

/** GET /dashboard/ops/parked: what only a person can decide, oldest first */
export default function parked(pages: Pages, { clients, transactions }: DashboardContext): void {
  pages.screen('/dashboard/ops/parked', 'ops.read', async (visit) => {
    const after = afterId(visit, 'after')
    const conflictsAfter = afterId(visit, 'conflicts-after')
    const [openRows, conflictRows] = await Promise.all([
      transactions.unresolved.parked({ after, limit: pageSize + 1 }),
      transactions.unresolved.conflicts({ after: conflictsAfter, limit: pageSize + 1 }),
    ])
    const [open, conflicts] = [openRows.slice(0, pageSize), conflictRows.slice(0, pageSize)]
    const names = await clients.namesOf([...open, ...conflicts])
    const say = words[visit.language]
    const following = (rows: { id: string }[], parameter: string) => {
      const next = rows.length > pageSize ? (rows[pageSize - 1]?.id ?? null) : null
      return pager(visit, next, { parameter, isAscending: true })
    }
    return {
      title: say.title,
      section: 'parked',
      body: html`<div class="head"><h1>${say.title}</h1></div>
<h2>${say.parked}</h2>
${open.length === 0 ? html`<p class="hint">${say.noParked}</p>` : openTable(visit, open, names)}
${following(openRows, 'after')}
<h2>${say.conflicts}</h2>
${
  conflicts.length === 0
    ? html`<p class="hint">${say.noConflicts}</p>`
    : conflictTable(visit, conflicts, names)
}
${following(conflictRows, 'conflicts-after')}`,
    }
  })
}

/** The id after which a list goes on; one that is no id is ignored. */
function afterId({ query }: OpsVisit, parameter: string): string | null {
  const { [parameter]: given = '' } = query
  return isUuid(given) ? given : null
}

function openTable(visit: OpsVisit, rows: OpenRow[], clients: ClientNames): Html {
  const say = words[visit.language]
  const advice = causeWords[visit.language]
  const why = ({ cause, last }: OpenRow) => {
    const outcome = last && outcomeWord(visit, last)
    const note = noteIn(visit.language, last?.reason ?? '')
    const heard = [outcome, note].filter(Boolean).join(frameWords[visit.language].colon + ' ')
    return html`<div>${advice[cause].why}${
      heard !== '' && html`<small>${say.last} <bdi>${heard}</bdi></small>`
    }</div>`
  }
  return table(
    rows,
    [
      {
        name: say.what,
        isTitle: true,
        cell: (one) =>
          html`<a href="/dashboard/ops/transactions/${one.id}">${titleOf(visit, one)}</a>`,
      },
      { name: say.client, cell: ({ clientId }) => html`<bdi>${clients.get(clientId)}</bdi>` },
      { name: say.since, cell: ({ createdAt }) => moment(visit, createdAt) },
      { name: say.amount, isNumeric: true, cell: ({ amount }) => money(amount) },
      { name: say.state, cell: (one) => status(visit.language, one.status) },
      { name: say.why, key: 'prose', cell: why },
      { name: say.todo, key: 'prose', cell: ({ cause }) => advice[cause].todo },
    ],
    { caption: say.parked },
  )
}

function amountIn(detail: unknown): Piece {
  return typeof detail === 'number' && money(detail)
}

function conflictTable(visit: OpsVisit, rows: Conflict[], clients: ClientNames): Html {
  const say = words[visit.language]
  const advice = conflictWords[visit.language]
  return table(
    rows,
    [
      {
        name: say.conflict,
        isTitle: true,
        cell: ({ id, kind }) =>
          html`<a href="/dashboard/ops/conflicts/${id}">${advice[kind].name}</a>`,
      },
      { name: say.client, cell: ({ clientId }) => html`<bdi>${clients.get(clientId)}</bdi>` },
      { name: say.since, cell: ({ at }) => moment(visit, at) },
      { name: say.ordered, isNumeric: true, cell: ({ details }) => amountIn(details.amount) },
      { name: say.reported, isNumeric: true, cell: ({ details }) => amountIn(details.reported) },
      { name: say.why, key: 'prose', cell: ({ kind }) => advice[kind].why },
      { name: say.todo, key: 'prose', cell: ({ kind }) => advice[kind].todo },
      {
        name: say.what,
        cell: ({ transactionId }) =>
          html`<a href="/dashboard/ops/transactions/${transactionId}">${say.transaction}</a>`,
      },
    ],
    { caption: say.conflicts },
  )
}
