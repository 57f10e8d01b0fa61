import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { formatAmount, readAmount } from '#base/kit/money.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import { isStorable } from '#data/db/storable-text.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
import type { Form } from '#doors/dashboard/frame/actions.ts'
import {
  facts,
  instant,
  money,
  moneyFact,
  phone,
  status,
} from '#doors/dashboard/frame/components.ts'
import { field, type Problems, problemList } from '#doors/dashboard/frame/fields.ts'
import { type Screen, tokenField } from '#doors/dashboard/frame/layout.ts'
import type { Pages } from '#doors/dashboard/frame/pages.ts'
import { WrongFields } from '#doors/dashboard/frame/problems.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { leftOf } from '../money-moved.ts'
import { ownReference } from '../rows.ts'
import { titleOf } from '../summary.ts'

const words = inBoth({
  fr: {
    title: 'Rembourser',
    payment: 'Paiement',
    number: fr`Numéro remboursé`,
    at: fr`Payé`,
    id: fr`Notre référence`,
    own: fr`Votre référence`,
    theirs: fr`Référence du prestataire`,
    left: 'Reste remboursable',
    status: fr`État du paiement`,
    amount: 'Montant en francs',
    reason: 'Motif (facultatif)',
    review: fr`Vérifier`,
    check: fr`Vérifiez avant de rembourser`,
    sum: fr`Montant remboursé`,
    fee: fr`Les frais du paiement ne sont pas remboursés. Le remboursement lui-même est gratuit.`,
    balance: fr`Solde disponible après`,
    go: (amount: string) => fr`Rembourser ${amount}`,
    change: 'Modifier',
    wrong: (left: string) => fr`Saisissez un montant entier en francs, de 1 à ${left}.`,
    tooLong: fr`Saisissez un motif de 500 caractères au plus.`,
    poor: fr`Votre solde ne suffit pas pour ce remboursement.`,
    tooOld: fr`Le numéro du payeur a été effacé : ce paiement est trop ancien pour être remboursé.`,
    impossible: fr`Seul un encaissement réussi peut être remboursé, et jamais au-delà de son
      montant.`,
    done: fr`Le remboursement est en cours.`,
    back: fr`Retour à la transaction`,
  },
  en: {
    title: 'Refund',
    payment: 'Payment',
    number: 'Number refunded',
    at: 'Paid',
    id: 'Our reference',
    own: 'Your reference',
    theirs: 'Provider’s reference',
    left: 'Remaining refundable',
    status: 'Payment status',
    amount: 'Amount in francs',
    reason: 'Reason (optional)',
    review: 'Review',
    check: 'Check before you refund',
    sum: 'Amount refunded',
    fee: 'The payment fee is not refunded. The refund itself is free.',
    balance: 'Available balance after',
    go: (amount: string) => `Refund ${amount}`,
    change: 'Change',
    wrong: (left: string) => `Enter a whole amount in francs, from 1 to ${left}.`,
    tooLong: 'Enter a reason of at most 500 characters.',
    poor: 'Your balance is too low for this refund.',
    tooOld: 'The payer’s number has been erased: this payment is too old to be refunded.',
    impossible: 'Only a successful collection can be refunded, and never more than its amount.',
    done: 'The refund is in progress.',
    back: 'Back to the transaction',
  },
})

/** The payment that is refunded, with the reference that the merchant gave to it or its link. */
type Original = Transaction & { ownReference: string | null }

/** What the form asks for. */
interface Asked {
  original: Original
  francs: number
  reason: string
  /** Whether this form has refunded already, and its answer was lost. */
  isDone: boolean
}

/** GET, POST /dashboard/transactions/:id/refund: amount, review, then the refund. */
export default function refund(pages: Pages, context: DashboardContext): void {
  const { ledger, links, transactions } = context

  async function findOriginal({ part, client }: Visit): Promise<Original | undefined> {
    const id = part('id')
    if (!isUuid(id)) return undefined
    const one = await transactions.findById({ clientId: client.id, id })
    return one && { ...one, ownReference: ownReference(one, await links.behind([one])) }
  }

  async function find(visit: Visit, form: Form): Promise<Asked | undefined> {
    const original = await findOriginal(visit)
    if (original === undefined) return undefined
    // Of less than is left since it is said what has changed.
    const most = form.number === '' ? mostOf(original) : original.amount
    const read = readRefund(visit, most, form)
    const caller = { clientId: visit.client.id, keyId: original.keyId, scope: 'client' as const }
    const before = await transactions.find(caller, { externalId: `dash-${form.number}` })
    return { original, ...read, isDone: before !== undefined }
  }

  pages.form(
    '/dashboard/transactions/:id/refund',
    {
      action: 'transaction.refund',
      isSensitive: true,
      first: {
        isSent: ({ query }) => query.amount !== undefined,
        show: async (visit, form, problems) => {
          const original = await findOriginal(visit)
          if (original === undefined) return undefined
          const isNew = form.number === ''
          if (isNew && mostOf(original) === 0) return impossible(visit, original)
          return amountScreen(visit, original, form.fields, problems)
        },
      },
      find,
      // Of what this very form has done before, nothing is as it was.
      facts: (visit, asked) => (asked.isDone ? [] : seenOf(visit, asked)),
      show: async (visit, asked, { changed }) => {
        const { available } = await ledger.balances(visit.client.id)
        return reviewScreen(visit, asked, available, changed)
      },
    },
    async (visit, form, { original: { id, clientId, keyId }, francs, reason }) => {
      // By the key of the payment, so that the program that took it sees its refund, too.
      const caller = { clientId, keyId, scope: 'client' as const }
      const rest = { externalId: `dash-${form.number}`, ...(reason === '' ? {} : { reason }) }
      const order = { transactionId: id, amount: francs, ...rest }
      const refunded = await transactions.refund(caller, order).catch((problem: unknown) => {
        const isPoor = problem instanceof Refusal && problem.kind === 'insufficient_funds'
        throw isPoor ? new WrongFields({ amount: words[visit.language].poor }) : problem
      })
      const made = refunded.kind === 'recorded' ? refunded.transaction : refunded.existing
      return { to: `/dashboard/transactions/${made?.id ?? id}`, text: words[visit.language].done }
    },
  )
}

/** What can be refunded, whose number is still known. */
function mostOf(original: Original): number {
  return isPseudonym(original.phone) ? 0 : leftOf(original)
}

/** What the review shows, and what must still be so when it is sent. */
function seenOf(visit: Visit, { original, francs, reason }: Asked): Fact[] {
  const say = words[visit.language]
  const { id, phone: number, status: state } = original
  return [
    { name: 'payment', label: say.payment, value: id, show: () => titleOf(visit, original) },
    { name: 'number', label: say.number, value: phone(visit, number, original.serviceCode) },
    {
      name: 'status',
      label: say.status,
      value: state,
      show: (value) => status(visit.language, String(value)),
    },
    moneyFact('left', say.left, leftOf(original)),
    moneyFact('sum', say.sum, francs),
    { name: 'reason', label: say.reason, value: reason },
  ]
}

function readRefund({ language }: Visit, most: number, { get }: Form) {
  const { wrong, tooLong } = words[language]
  const [francs, reason] = [readAmount(get('amount')) ?? 0, get('reason')]
  const problems: Problems = {
    ...((francs < 1 || francs > most) && { amount: wrong(formatAmount(most)) }),
    ...((reason.length > 500 || !isStorable(reason)) && { reason: tooLong }),
  }
  if (Object.keys(problems).length > 0) throw new WrongFields(problems)
  return { francs, reason }
}

function screen(visit: Visit, original: Original, body: Html): Screen {
  const { title, back } = words[visit.language]
  return {
    title,
    section: 'transactions',
    body: html`<p class="back"><a href="/dashboard/transactions/${original.id}">${back}</a></p>
<h1>${title}</h1>${body}`,
  }
}

function impossible(visit: Visit, original: Original): Screen {
  const { impossible: never, tooOld } = words[visit.language]
  const text = isPseudonym(original.phone) ? tooOld : never
  return { ...screen(visit, original, html`<p class="notice bad">${text}</p>`), status: 409 }
}

const code = (text: string | null) => text !== null && html`<code>${text}</code>`

function what(visit: Visit, original: Original): [string, Piece][] {
  const { payment, number, at, id, own, theirs } = words[visit.language]
  return [
    [payment, html`${titleOf(visit, original)}, ${money(original.amount)}`],
    [number, phone(visit, original.phone, original.serviceCode)],
    [at, instant(visit, original.completedAt ?? original.createdAt)],
    [own, code(original.ownReference)],
    [theirs, code(original.reference)],
    [id, code(original.id)],
  ]
}

function amountScreen(
  visit: Visit,
  original: Original,
  typed: Form['fields'],
  { '': whole, ...byField }: Problems,
): Screen {
  const { left, amount, reason, review } = words[visit.language]
  const problems = whole === undefined ? byField : { amount: whole, ...byField }
  const body = html`<form class="card" method="get"
 action="/dashboard/transactions/${original.id}/refund">
${facts([...what(visit, original), [left, money(leftOf(original))]])}
${problemList(visit.language, problems)}
${field(
  {
    name: 'amount',
    label: amount,
    value: typed.amount ?? String(leftOf(original)),
    inputmode: 'numeric',
    autocomplete: 'off',
    isRequired: true,
  },
  problems,
)}
${field({ name: 'reason', label: reason, value: typed.reason ?? '', maxLength: 500 }, problems)}
<button>${review}</button></form>`
  return screen(visit, original, body)
}

function reviewScreen(visit: Visit, asked: Asked, available: number, changed?: Html): Screen {
  const { check, sum, fee, balance, go, change, reason: reasonWord } = words[visit.language]
  const { original, reason, francs } = asked
  const path = `/dashboard/transactions/${original.id}/refund`
  const body = html`${changed}<form class="card" method="post" action="${path}"><h2>${check}</h2>
${tokenField(visit, seenOf(visit, asked))}
<input type="hidden" name="amount" value="${francs}">
<input type="hidden" name="reason" value="${reason}">
${facts([
  ...what(visit, original),
  [sum, html`<b class="large">${money(francs)}</b>`],
  [reasonWord, reason !== '' && html`<bdi>${reason}</bdi>`],
  [balance, money(available - francs)],
])}
<p class="hint">${fee}</p>
<p class="ways"><button>${go(formatAmount(francs))}</button>
<a class="button second" href="${path}">${change}</a></p></form>`
  return screen(visit, original, body)
}
