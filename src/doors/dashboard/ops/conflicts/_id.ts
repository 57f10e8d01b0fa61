import { type Html, html } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import { facts, moment, money } from '#doors/dashboard/frame/components.ts'
import { field, problemList } from '#doors/dashboard/frame/fields.ts'
import type { Sent } from '#doors/dashboard/frame/form-page.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import { noteIn } from '#doors/dashboard/frame/technical-words.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { masked } from '#doors/dashboard/transactions/masked.ts'
import { titleOf } from '#doors/dashboard/transactions/summary.ts'
import type { Conflict } from '#money/transactions/conflict-store.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { conflictWords, proposalHref } from '../decide-words.ts'

const words = inBoth({
  fr: {
    back: fr`À décider`,
    since: 'Depuis',
    amount: fr`Montant demandé`,
    reported: fr`Montant annoncé par le prestataire`,
    reference: fr`Référence du prestataire`,
    transaction: 'Transaction',
    raw: fr`Tel qu'enregistré`,
    close: fr`Fermer la contradiction`,
    note: fr`Fermer ne déplace pas d'argent : indiquez ce qui a été fait.`,
    reason: fr`Ce qui a été fait`,
    wrong: fr`Indiquez ce qui a été fait, en 500 caractères au plus.`,
    closed: fr`La contradiction est fermée.`,
    closedBy: fr`Fermée par`,
    sendBack: fr`Renvoyer l'argent au client`,
  },
  en: {
    back: 'To decide',
    since: 'Since',
    amount: 'Amount ordered',
    reported: 'Amount reported by the provider',
    reference: 'Provider’s reference',
    transaction: 'Transaction',
    raw: 'As recorded',
    close: 'Close the conflict',
    note: 'Closing does not move any money: describe what was done.',
    reason: 'What was done',
    wrong: 'Describe what was done, in 500 characters at most.',
    closed: 'The conflict is closed.',
    closedBy: 'Closed by',
    sendBack: 'Send the money back to the customer',
  },
})

const reasonMax = 500

/** GET, POST /dashboard/ops/conflicts/:id: a fact that contradicts what was decided */
export default function conflict(pages: Pages, context: DashboardContext): void {
  const { transactions } = context

  async function find(visit: OpsVisit): Promise<[Conflict, Transaction] | undefined> {
    const id = visit.part('id')
    const found = isUuid(id) ? await transactions.unresolved.findConflict(id) : undefined
    if (found === undefined) return undefined
    const { clientId, transactionId } = found
    const one = await transactions.findById({ clientId, id: transactionId })
    return one === undefined ? undefined : [found, one]
  }

  pages.form(
    '/dashboard/ops/conflicts/:id',
    { action: 'ops.transactions.resolve', seenBy: 'ops.read', find, facts: factsOf, show: screen },
    async (visit, form, [{ id }]) => {
      const { wrong, closed } = words[visit.language]
      const typed = form.get('reason')
      const reason = oneLine(typed, reasonMax)
      if (reason === '' || typed.length > reasonMax) throw new WrongFields({ reason: wrong })
      await transactions.unresolved.closeConflict({ id, reason, actor: visit.actor })
      return { to: '/dashboard/ops/parked', text: closed }
    },
  )
}

/** What the form shows of a conflict; one that is closed is refused by the verb. */
function factsOf({ language }: OpsVisit, [one]: [Conflict, Transaction]): Fact[] {
  if (one.closedAt !== null) return []
  const { name } = conflictWords[language][one.kind]
  return [{ name: 'conflict', label: name, value: one.id }]
}

function screen(visit: OpsVisit, found: [Conflict, Transaction], sent: Sent): Screen {
  const [one, transaction] = found
  const say = words[visit.language]
  const { name, why, todo } = conflictWords[visit.language][one.kind]
  const { amount, reported, reference } = one.details
  const isOpen = one.closedAt === null
  const mayClose = isOpen && visit.may('ops.transactions.resolve')
  const href = `/dashboard/ops/transactions/${transaction.id}`
  const maySend = isOpen && one.kind === 'late_success' && visit.may('ops.money.propose')
  const raw = masked(visit, JSON.stringify(one.details, null, 2), transaction.phone)
  return {
    title: name,
    section: 'parked',
    body: html`<p class="back"><a href="/dashboard/ops/parked">${say.back}</a></p>
<div class="head"><h1>${name}</h1><div class="ways">${
      maySend &&
      html`<a class="button second" href="${proposalHref('send_back', transaction.id)}">${
        say.sendBack
      }</a>`
    }</div></div>
<p class="notice${isOpen && ' bad'}">${why} ${isOpen && todo}</p>
<section class="card">${facts([
      [say.transaction, html`<a href="${href}">${titleOf(visit, transaction)}</a>`],
      [say.since, moment(visit, one.at)],
      [say.amount, typeof amount === 'number' && money(amount)],
      [say.reported, typeof reported === 'number' && money(reported)],
      [say.reference, typeof reference === 'string' && html`<code>${reference}</code>`],
      [say.closedBy, one.closedBy !== null && html`<bdi>${one.closedBy}</bdi>`],
      [
        say.reason,
        one.closingReason !== null && html`<bdi>${noteIn(visit.language, one.closingReason)}</bdi>`,
      ],
    ])}<details><summary>${say.raw}</summary><pre tabindex="0">${raw}</pre></details></section>
${mayClose && closeForm(visit, found, sent)}`,
  }
}

function closeForm(
  visit: OpsVisit,
  found: [Conflict, Transaction],
  { typed, problems }: Sent,
): Html {
  const { id } = found[0]
  const { close, note, reason } = words[visit.language]
  return html`<form class="card" method="post" action="/dashboard/ops/conflicts/${id}">${tokenField(
    visit,
    factsOf(visit, found),
  )}<h2>${close}</h2>${problemList(visit.language, problems)}
${field(
  {
    name: 'reason',
    label: reason,
    value: typed?.reason ?? '',
    hint: note,
    isRequired: true,
    rows: 3,
  },
  problems,
)}<button>${close}</button></form>`
}
