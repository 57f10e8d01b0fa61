import type { Approval } from '#backoffice/approvals/approval.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { en, fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import {
  breakable,
  facts,
  moment,
  money,
  moneyFact,
  statusWord,
} from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { type Fact, shownFacts } from '#doors/dashboard/frame/reviewed.ts'
import { table } from '#doors/dashboard/frame/table.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { roleNames } from '#merchants/people/rights.ts'
import { linePage } from '../recon/statements/line-list.ts'
import { transactionFacts, transactionOf } from './about.ts'
import { merchantOf } from './asked.ts'
import { forgetWords } from './forget-words.ts'
import { linesOf } from './lines.ts'
import { accountWord, approvalState, kindTitle } from './words.ts'

const words = inBoth({
  fr: {
    back: 'Approbations',
    client: 'Marchand',
    proposal: fr`Opération`,
    amount: 'Montant',
    state: fr`État`,
    proposed: fr`Proposé par`,
    until: fr`Valable jusqu'au`,
    decided: fr`Décidé par`,
    why: 'Motif du refus',
    ref: fr`Référence`,
    reason: 'Motif',
    transaction: 'Transaction',
    ends: fr`Résultat`,
    success: fr`réussie`,
    failed: fr`échouée`,
    lines: fr`Lignes`,
    statement: fr`Relevé`,
    cases: fr`Écarts`,
    difference: fr`Écart`,
    person: fr`Personne`,
    role: fr`Rôle`,
    codes: fr`Codes de recharge`,
    sealed: fr`saisis, conservés chiffrés`,
    seen: fr`Ce qu'a vu l'auteur de la proposition`,
    available: fr`Solde disponible`,
    status: fr`Statut`,
    service: 'Service',
    payment: fr`Paiement du prestataire`,
    posted: fr`Ce qui sera écrit au grand livre`,
    wasPosted: fr`Ce qui a été écrit au grand livre`,
    nothing: fr`Rien : aucun argent ne bouge.`,
    account: 'Compte',
    own: fr`Vous l'avez proposé : une autre personne doit l'approuver. Vous pouvez le retirer.`,
    approve: 'Approuver',
    approveText: fr`Vérifiez à la source (relevé de la banque, portail du prestataire) avant
      d'approuver. L'effet est immédiat.`,
    refuse: 'Refuser',
    refuseReason: 'Motif du refus',
  },
  en: {
    back: 'Approvals',
    client: 'Merchant',
    proposal: 'Operation',
    amount: 'Amount',
    state: 'State',
    proposed: 'Proposed by',
    until: 'Valid until',
    decided: 'Decided by',
    why: 'Reason for refusal',
    ref: 'Reference',
    reason: 'Reason',
    transaction: 'Transaction',
    ends: 'Outcome',
    success: 'succeeded',
    failed: 'failed',
    lines: 'Lines',
    statement: 'Statement',
    cases: 'Differences',
    difference: 'Difference',
    person: 'Person',
    role: 'Role',
    codes: 'Recharge codes',
    sealed: 'entered, stored encrypted',
    seen: 'What the proposer saw',
    available: 'Available balance',
    status: 'Status',
    service: 'Service',
    payment: 'The provider’s payment',
    posted: 'What will be written to the ledger',
    wasPosted: 'What was written to the ledger',
    nothing: 'Nothing: no money moves.',
    account: 'Account',
    own: 'You proposed it: another person has to approve it. You can withdraw it.',
    approve: 'Approve',
    approveText: en`Check it at the source (the bank’s statement, the provider’s portal) before you
        approve. It takes effect immediately.`,
    refuse: 'Refuse',
    refuseReason: 'Reason for refusal',
  },
})

/** GET /dashboard/ops/approvals/:id */
export default function approval(pages: Pages, context: DashboardContext): void {
  pages.screen('/dashboard/ops/approvals/:id', 'ops.read', (visit) =>
    approvalScreen(context, visit, visit.part('id'), {}),
  )
}

/** A proposal, and the name of its client. */
interface ShownApproval {
  one: Approval
  client: string
}

/** Undefined: there is no such proposal. */
export async function findShown(
  { approvals, clients }: DashboardContext,
  id: string,
): Promise<ShownApproval | undefined> {
  const one = isUuid(id) ? await approvals.find(id) : undefined
  if (one === undefined) return undefined
  return { one, client: await merchantOf(clients, one.clientId) }
}

/** What the forms that decide a proposal show of it. */
export function seenOf({ language }: OpsVisit, { one, client }: ShownApproval): Fact[] {
  const say = words[language]
  const show = () => kindTitle(language, one.kind)
  return [
    { name: 'proposal', label: say.proposal, value: one.id, show },
    moneyFact('amount', say.amount, one.amount),
    { name: 'client', label: say.client, value: client },
  ]
}

/** A proposal with what it does, and the ways to decide it. */
export async function approvalScreen(
  context: DashboardContext,
  visit: OpsVisit,
  id: string,
  problems: Problems,
): Promise<Screen | undefined> {
  const found = await findShown(context, id)
  if (found === undefined) return undefined
  const { one, client } = found
  const say = words[visit.language]
  const title = kindTitle(visit.language, one.kind)
  const isOpen = one.state === 'open' && one.expiresAt > visit.now
  return {
    title,
    section: 'approvals',
    body: html`<p class="back"><a href="/dashboard/ops/approvals">${say.back}</a></p>
<div class="head"><h1>${title}</h1></div>
${problemList(visit.language, problems)}
<section class="card">${facts([
      [say.amount, one.amount > 0 && money(one.amount)],
      [say.client, one.clientId !== null && html`<bdi>${client}</bdi>`],
      [say.state, approvalState(visit.language, one, visit.now)],
      ...orderFacts(visit, one),
      ...shownFacts(transactionFacts(visit, await transactionOf(context, one.order))),
      [say.proposed, html`<bdi>${one.proposedBy}</bdi> · ${moment(visit, one.proposedAt)}`],
      [say.until, isOpen && moment(visit, one.expiresAt)],
      [
        say.decided,
        one.decidedAt !== null &&
          html`<bdi>${one.decidedBy}</bdi> · ${moment(visit, one.decidedAt)}`,
      ],
      [say.why, one.reason !== null && html`<bdi>${one.reason}</bdi>`],
    ])}</section>
${seenCard(visit, one)}
${one.order.kind === 'statement' ? await heldLines(context, visit, one) : postedCard(visit, one)}
${isOpen && visit.may('ops.money.approve') && decideCard(visit, found, problems)}`,
  }
}

function orderFacts({ language }: OpsVisit, { order }: Approval): [string, Piece][] {
  const say = words[language]
  if ('ref' in order)
    return [
      [say.ref, html`<bdi>${order.ref}</bdi>`],
      [say.reason, order.kind === 'adjust' && html`<bdi>${order.reason}</bdi>`],
    ]
  if (order.kind === 'grant')
    return [
      [say.person, breakable(order.email)],
      [say.role, roleNames[language][order.role]],
    ]
  if (order.kind === 'statement' || order.kind === 'statement_withdrawal')
    return [
      [
        say.statement,
        html`<a href="/dashboard/ops/recon/statements/${order.id}"><bdi>${order.name}</bdi></a>`,
      ],
      [say.lines, order.kind === 'statement' && String(order.lines)],
      [say.reason, order.kind !== 'statement' && html`<bdi>${order.reason}</bdi>`],
    ]
  if (order.kind === 'forget')
    return [
      [forgetWords[language].pseudonym, html`<code>${order.pseudonym}</code>`],
      [say.reason, html`<bdi>${order.reason}</bdi>`],
    ]
  if (order.kind === 'suspend')
    return [
      [
        say.difference,
        html`<a href="/dashboard/ops/recon/cases/${order.id}"><code>${order.id}</code></a>`,
      ],
      [say.reason, html`<bdi>${order.reason}</bdi>`],
    ]
  return [
    [
      say.transaction,
      html`<a href="/dashboard/ops/transactions/${order.id}"><code>${order.id}</code></a>`,
    ],
    [say.ends, order.kind === 'resolve' && say[order.as]],
    [say.codes, order.kind === 'resolve' && order.sealedToken !== undefined && say.sealed],
    [say.reason, html`<bdi>${order.reason}</bdi>`],
  ]
}

function seenCard({ language }: OpsVisit, { seen }: Approval): Html {
  const say = words[language]
  const { available, status, serviceCode, reference, lines, cases, places } = seen
  return html`<section class="card"><h2>${say.seen}</h2>${facts([
    [say.available, typeof available === 'number' && money(available)],
    [say.lines, lines !== undefined && String(lines)],
    [say.cases, cases !== undefined && String(cases)],
    [forgetWords[language].places, places !== undefined && String(places)],
    [say.status, typeof status === 'string' && statusWord(language, status)],
    [say.service, serviceCode],
    [say.payment, typeof reference === 'string' && html`<bdi>${reference}</bdi>`],
  ])}</section>`
}

function postedCard({ language }: OpsVisit, one: Approval): Html {
  const say = words[language]
  const title = one.state === 'approved' ? say.wasPosted : say.posted
  const lines = linesOf(one)
  const isMoving = one.state === 'open' || one.state === 'approved'
  if (!isMoving) return html``
  return html`<section class="card"><h2>${title}</h2>${
    lines.length === 0
      ? html`<p>${say.nothing}</p>`
      : table(
          lines,
          [
            { name: say.account, isTitle: true, cell: ([name]) => accountWord(language, name) },
            { name: say.amount, isNumeric: true, cell: ([, amount]) => money(amount) },
          ],
          { caption: title },
        )
  }</section>`
}

/** What the lines of a statement say that wait, beside what they would end. */
async function heldLines(
  context: DashboardContext,
  visit: OpsVisit,
  { id, order }: Approval,
): Promise<Piece> {
  if (order.kind !== 'statement' || !visit.may('ops.recon.read')) return null
  const { recon } = context
  const statement = await recon.get(order.id)
  const page = await linePage(context, visit, statement, (range) => recon.held(id, range))
  return page ?? null
}

function decideCard(visit: OpsVisit, found: ShownApproval, problems: Problems): Html {
  const { id, proposedBy, kind } = found.one
  const seen = seenOf(visit, found)
  const say = words[visit.language]
  const isOwn = proposedBy.toLowerCase() === visit.actor.toLowerCase()
  const action = `/dashboard/ops/approvals/${id}/decide`
  return html`${
    isOwn
      ? html`<p class="notice">${say.own}</p>`
      : html`<form class="card" method="post" action="${action}">${tokenField(visit, seen)}
<p>${kind === 'forget' ? forgetWords[visit.language].approve : say.approveText}</p>
<button name="verb" value="approve">${say.approve}</button></form>`
  }
<form class="card" method="post" action="${action}">${tokenField(visit, seen)}
${field({ name: 'reason', label: say.refuseReason, maxLength: 500, isRequired: true }, problems)}
<button class="danger" name="verb" value="refuse">${say.refuse}</button></form>`
}
