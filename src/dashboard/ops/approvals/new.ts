import { approvalKinds } from '../../../approvals/approval.ts'
import type { Prepared } from '../../../approvals/prepare.ts'
import { findClient } from '../../../clients/store.ts'
import type { Html } from '../../../kit/html.ts'
import { html } from '../../../kit/html.ts'
import { formatAmount } from '../../../kit/money.ts'
import { adjustableAccounts } from '../../../ledger/adjustment.ts'
import { fr } from '../../../pages/typography.ts'
import type { DashboardContext } from '../../context.ts'
import { chips } from '../../developers/tabs.ts'
import { facts, money, statusWord } from '../../frame/components.ts'
import type { Problems } from '../../frame/fields.ts'
import { field, problemList } from '../../frame/fields.ts'
import type { Screen } from '../../frame/layout.ts'
import { tokenField } from '../../frame/layout.ts'
import type { Pages } from '../../frame/pages.ts'
import { problemsOf } from '../../frame/problems.ts'
import { table } from '../../frame/table.ts'
import type { OpsVisit } from '../../frame/visit.ts'
import { inBoth } from '../../frame/words.ts'
import { linesOf } from './lines.ts'
import type { Typed } from './read-order.ts'
import { fieldNames, fieldsOf, kindOf, readOrder, readTyped } from './read-order.ts'
import { accountWord, kindTitle } from './words.ts'

const words = inBoth({
  fr: {
    back: 'Approbations',
    client: fr`Marchand (numéro ou nom)`,
    amount: 'Montant en francs',
    ref: fr`Référence`,
    refHint: fr`Celle de la banque ou du ticket. Elle ne sert qu'une fois.`,
    direction: 'Sens',
    give: fr`Donner au marchand`,
    take: fr`Prendre au marchand`,
    account: fr`Contre le compte`,
    transaction: fr`Transaction (identifiant, le nôtre ou celui du marchand)`,
    as: fr`Elle finit`,
    success: fr`réussie`,
    failed: fr`échouée`,
    reason: 'Motif',
    reasonHint: fr`Ce que vous avez vu, et où.`,
    review: fr`Vérifier`,
    check: fr`Vérifiez avant de continuer`,
    merchant: 'Marchand',
    now: fr`Solde disponible maintenant`,
    status: fr`Statut de la transaction`,
    total: 'Montant',
    posted: fr`Ce qui sera écrit au grand livre`,
    nothing: fr`Rien : aucun argent ne bouge.`,
    name: 'Compte',
    alone: fr`C'est fait aussitôt : ce montant ne demande qu'une personne.`,
    two: (amount: string) => fr`Au-delà de ${amount}, une autre personne doit l'approuver.`,
    edit: 'Modifier',
    doIt: 'Faire maintenant',
    propose: 'Proposer',
    done: fr`C'est fait.`,
    proposed: fr`C'est proposé : une autre personne peut maintenant l'approuver.`,
  },
  en: {
    back: 'Approvals',
    client: 'Merchant (number or name)',
    amount: 'Amount in francs',
    ref: 'Reference',
    refHint: 'The bank’s or the ticket’s. It serves once.',
    direction: 'Direction',
    give: 'Give to the merchant',
    take: 'Take from the merchant',
    account: 'Against the account',
    transaction: 'Transaction (id, ours or the merchant’s)',
    as: 'It ends',
    success: 'succeeded',
    failed: 'failed',
    reason: 'Reason',
    reasonHint: 'What you saw, and where.',
    review: 'Review',
    check: 'Check before you go on',
    merchant: 'Merchant',
    now: 'Available balance now',
    status: 'Status of the transaction',
    total: 'Amount',
    posted: 'What will be written to the ledger',
    nothing: 'Nothing: no money moves.',
    name: 'Account',
    alone: 'It is done at once: this amount needs one person only.',
    two: (amount: string) => `Above ${amount} another person has to approve it.`,
    edit: 'Change',
    doIt: 'Do it now',
    propose: 'Propose',
    done: 'It is done.',
    proposed: 'It is proposed: another person can approve it now.',
  },
})

const path = '/dashboard/ops/approvals/new'

/** GET, POST /dashboard/ops/approvals/new?kind=fund&client=…: typed, reviewed, proposed or done */
export default function propose(pages: Pages, context: DashboardContext): void {
  const { approvals, db } = context

  pages.screen('/dashboard/ops/approvals/new', 'ops.money.propose', async (visit) => {
    const typed = readTyped(visit.query)
    if (visit.query.review === undefined) return formScreen(visit, typed, {})
    const read = await readOrder(db, visit.language, typed)
    if ('problems' in read) return formScreen(visit, typed, read.problems)
    try {
      return await reviewScreen(context, visit, typed, await approvals.preview(read.order))
    } catch (problem) {
      return formScreen(visit, typed, problemsOf(problem, visit.language))
    }
  })

  pages.action(
    '/dashboard/ops/approvals/new',
    { action: 'ops.money.propose', isSensitive: true },
    async (visit, form) => {
      const say = words[visit.language]
      const typed = readTyped(form.fields)
      const read = await readOrder(db, visit.language, typed)
      if ('problems' in read) return formScreen(visit, typed, read.problems)
      try {
        const asker = { person: visit.actor, actor: visit.actor }
        const requested = await approvals.request(read.order, asker, `dash-${form.number}`)
        if (requested.kind === 'done') return { to: '/dashboard/ops/approvals', text: say.done }
        return { to: `/dashboard/ops/approvals/${requested.approval.id}`, text: say.proposed }
      } catch (problem) {
        return formScreen(visit, typed, problemsOf(problem, visit.language))
      }
    },
  )
}

function screen({ language }: OpsVisit, typed: Typed, body: Html): Screen {
  const title = kindTitle(language, kindOf(typed))
  return {
    title,
    section: 'approvals',
    body: html`<p><a href="/dashboard/ops/approvals">${words[language].back}</a></p>
<div class="head"><h1>${title}</h1></div>${body}`,
  }
}

function formScreen(visit: OpsVisit, typed: Typed, problems: Problems): Screen {
  const kind = kindOf(typed)
  const ways = approvalKinds.map((one) => ({
    href: `${path}?kind=${one}`,
    text: kindTitle(visit.language, one),
    isCurrent: one === kind,
  }))
  return screen(
    visit,
    typed,
    html`${chips(ways)}
<form class="card" method="get" action="${path}">${problemList(visit.language, problems)}
<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="review" value="yes">
${fieldsOf[kind].map((name) => inputOf(visit, name, typed, problems))}
<button>${words[visit.language].review}</button></form>`,
  )
}

function inputOf(
  { language }: OpsVisit,
  name: keyof Typed,
  typed: Typed,
  problems: Problems,
): Html {
  const say = words[language]
  const common = { name, value: typed[name], isRequired: true, autocomplete: 'off' }
  if (name === 'direction') {
    const options: [string, string][] = [
      ['give', say.give],
      ['take', say.take],
    ]
    return field({ ...common, label: say.direction, options }, problems)
  }
  if (name === 'as') {
    const options: [string, string][] = [
      ['', '—'],
      ['success', say.success],
      ['failed', say.failed],
    ]
    return field({ ...common, label: say.as, options }, problems)
  }
  if (name === 'account') {
    const options = adjustableAccounts.map((one): [string, string] => [
      one,
      accountWord(language, one),
    ])
    return field({ ...common, label: say.account, options }, problems)
  }
  const hints: Partial<Typed> = { ref: say.refHint, reason: say.reasonHint }
  const hint = hints[name]
  const isAmount = name === 'amount'
  return field(
    {
      ...common,
      label: say[name as 'client' | 'amount' | 'ref' | 'transaction' | 'reason'],
      ...(hint === undefined ? {} : { hint }),
      ...(isAmount ? { inputmode: 'numeric' } : {}),
    },
    problems,
  )
}

async function reviewScreen(
  { approvals, db }: DashboardContext,
  visit: OpsVisit,
  typed: Typed,
  prepared: Prepared,
): Promise<Screen> {
  const { language } = visit
  const say = words[language]
  const { order, amount, seen } = prepared
  const isTwofold = approvals.isTwofold(amount)
  const client = await findClient(db, order.clientId)
  const { available, status } = seen
  const edit = new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
  return screen(
    visit,
    typed,
    html`<section class="card"><h2>${say.check}</h2>${facts([
      [say.total, money(amount)],
      [say.merchant, html`<bdi>${client?.name}</bdi>`],
      [say.now, typeof available === 'number' && money(available)],
      [say.status, typeof status === 'string' && statusWord(language, status)],
      [say.ref, typed.ref !== '' && html`<bdi>${typed.ref}</bdi>`],
      [say.as, order.kind === 'resolve' && say[order.as]],
      [say.reason, typed.reason !== '' && html`<bdi>${typed.reason}</bdi>`],
    ])}</section>
${postedCard(visit, prepared)}
<form class="card" method="post" action="${path}">${tokenField(visit)}
${fieldNames.map(
  (name) => typed[name] !== '' && html`<input type="hidden" name="${name}" value="${typed[name]}">`,
)}
<p>${isTwofold ? say.two(formatAmount(approvals.above ?? 0)) : say.alone}</p>
<p class="ways"><button>${isTwofold ? say.propose : say.doIt}</button>
<a class="button second" href="${path}?${edit.toString()}">${say.edit}</a></p></form>`,
  )
}

function postedCard({ language }: OpsVisit, prepared: Prepared): Html {
  const say = words[language]
  const lines = linesOf(prepared)
  const body =
    lines.length === 0
      ? html`<p>${say.nothing}</p>`
      : table(
          lines,
          [
            { name: say.name, isTitle: true, cell: ([name]) => accountWord(language, name) },
            { name: say.total, isNumeric: true, cell: ([, francs]) => money(francs) },
          ],
          { caption: say.posted },
        )
  return html`<section class="card"><h2>${say.posted}</h2>${body}</section>`
}
