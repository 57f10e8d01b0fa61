import type { Detail } from '#backoffice/reports/detail.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { moment, money, status, technical } from '#doors/dashboard/frame/components.ts'
import { tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { isLost } from '#doors/dashboard/frame/technical-words.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { eventTold } from '#doors/dashboard/transactions/event-told.ts'
import { refundList } from '#doors/dashboard/transactions/money-moved.ts'
import { shopNames } from '#doors/dashboard/transactions/read-shops.ts'
import { columnWords, signed } from '#doors/dashboard/transactions/rows.ts'
import { identifiers, summary, titleOf } from '#doors/dashboard/transactions/summary.ts'
import { attempts, timeline } from '#doors/dashboard/transactions/timeline.ts'
import { isTokenMissing } from '#money/transactions/transaction.ts'
import { causeWords, proposalHref } from '../decide-words.ts'
import { inCountryOf } from '../recon/parties.ts'
import { conflictList } from './conflicts-of.ts'
import { findAny } from './find-any.ts'
import { ledgerLines } from './ledger-lines.ts'
import { statementsAbout } from './statements-about.ts'

const words = inBoth({
  fr: {
    back: 'Toutes les transactions',
    ask: fr`Vérifier le statut`,
    resolve: fr`Terminer manuellement`,
    sendBack: fr`Renvoyer l'argent au client`,
    attempt: fr`État de l'ordre`,
    next: fr`Prochaine vérification auprès du prestataire`,
    states: {
      recorded: fr`enregistré, peut-être envoyé`,
      prepared: fr`préparé chez le prestataire`,
      taken: fr`accepté par le prestataire`,
      unknown: fr`résultat inconnu`,
      lost: fr`réponse perdue`,
      not_sent: fr`pas envoyé (prouvé)`,
      parked: fr`à décider`,
    },
  },
  en: {
    back: 'All transactions',
    ask: 'Check status',
    resolve: 'End manually',
    sendBack: 'Send the money back to the customer',
    attempt: 'State of the order',
    next: 'Next check with the provider',
    states: {
      recorded: 'recorded, perhaps sent',
      prepared: 'prepared at the provider',
      taken: 'accepted by the provider',
      unknown: 'outcome not known',
      lost: 'answer lost',
      not_sent: 'not sent (proven)',
      parked: 'to decide',
    },
  },
})

/** GET /dashboard/ops/transactions/:id: everything that is known of it, whichever client's it is */
export default function transaction(pages: Pages, context: DashboardContext): void {
  const { clients, links, recon, reports, transactions } = context
  pages.screen('/dashboard/ops/transactions/:id', 'ops.read', async (visit) => {
    const found = await findAny(transactions, visit)
    const detail = found === undefined ? undefined : await reports.detail(found)
    if (detail === undefined) return undefined
    const one = detail.transaction
    const client = await clients.find(one.clientId)
    const shops = await shopNames(context, one.clientId)
    const isSeen = visit.may('ops.recon.read')
    const told = isSeen ? await recon.about(one) : { lines: [], cases: [] }
    const { attempt, next, states } = words[visit.language]
    const { why: noCode } = causeWords[visit.language].no_code
    const first: [string, Piece][] = [
      [columnWords[visit.language].client, html`<bdi>${client?.name}</bdi> (${one.clientId})`],
      [attempt, one.completedAt === null && states[orderState(detail)]],
      [next, one.dueAt !== null && moment(visit, one.dueAt)],
    ]
    return {
      title: titleOf(visit, one),
      section: 'transactions',
      body: html`${head(visit, detail)}
${isTokenMissing(one) && html`<p class="notice">${noCode}</p>`}
${conflictList(visit, detail)}
<div class="columns">${summary(visit, detail, { shops, links: await links.behind([one]) }, first)}
${timeline(visit, detail)}</div>
${refundList(visit, detail)}
${statementsAbout(inCountryOf(visit, one.serviceCode), told)}
${technical(visit, [
  identifiers(visit, detail),
  ledgerLines(visit, detail),
  attempts(visit, detail),
  eventTold(visit, detail),
])}`,
    }
  })
}

/** The state of its order; an answer is lost only where none came. */
function orderState({ transaction, attempts: orders }: Detail) {
  if (transaction.attemptState !== 'unknown') return transaction.attemptState
  const last = orders.at(-1)?.evidence.findLast(({ outcome }) => outcome === 'unknown')
  return last !== undefined && isLost(last) ? 'lost' : 'unknown'
}

function head(visit: OpsVisit, detail: Detail): Html {
  const { transaction: one } = detail
  const { back } = words[visit.language]
  return html`<p class="back"><a href="/dashboard/ops/transactions">${back}</a></p>
<div class="head"><div><h1>${titleOf(visit, one)}</h1>
<p class="large">${money(signed(one))} ${status(visit.language, one.status)}</p></div>
<div class="ways">${actions(visit, detail)}</div></div>`
}

/** What can be done with it as it stands; what moves money is decided by two people. */
function actions(visit: OpsVisit, { transaction: one, lines }: Detail): Piece[] {
  const { ask, resolve, sendBack } = words[visit.language]
  const isOpen = one.completedAt === null
  const isLate = lines.some(({ kind }) => kind === 'suspend')
  const way = (kind: 'resolve' | 'send_back', text: string) =>
    html`<a class="button second" href="${proposalHref(kind, one.id)}">${text}</a>`
  const mayDecide = visit.may('ops.transactions.resolve') && visit.may('ops.money.propose')
  return [
    (isOpen || isTokenMissing(one)) &&
      visit.may('ops.transactions.requery') &&
      html`<form method="post" action="/dashboard/ops/transactions/${one.id}/requery">${tokenField(
        visit,
      )}<button class="second">${ask}</button></form>`,
    isOpen && mayDecide && way('resolve', resolve),
    !isOpen && one.operation === 'CASHOUT' && isLate && mayDecide && way('send_back', sendBack),
  ]
}
