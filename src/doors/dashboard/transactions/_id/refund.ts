import { type Html, html, type Piece } from '#base/kit/html.ts'
import { isUuid } from '#base/kit/ids.ts'
import { formatAmount, readAmount } from '#base/kit/money.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import { isStorable } from '#data/db/storable-text.ts'
import type { DashboardContext } from '#doors/dashboard/context.ts'
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
import type { Fact, Reviewed } from '#doors/dashboard/frame/reviewed.ts'
import type { Visit } from '#doors/dashboard/frame/visit.ts'
import { sentenceOf } from '#doors/dashboard/frame/words.ts'
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

/** What was typed: as it is, and as it is meant. */
interface Typed {
  amount: string
  reason: string
  francs: number
  problems: Problems
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

  pages.screen('/dashboard/transactions/:id/refund', 'transaction.refund', async (visit) => {
    const original = await findOriginal(visit)
    if (original === undefined) return undefined
    const { amount, reason = '' } = visit.query
    const left = leftOf(original)
    if (left === 0 || isPseudonym(original.phone)) return impossible(visit, original)
    if (amount === undefined)
      return amountScreen(visit, original, read(visit, left, String(left), ''))
    const typed = read(visit, left, amount, reason)
    if (Object.keys(typed.problems).length > 0) return amountScreen(visit, original, typed)
    const { available } = await ledger.balances(visit.client.id)
    return reviewScreen(visit, original, typed, available)
  })

  const reviewed: Reviewed<Visit, Asked> = {
    find: async (visit, form) => {
      const original = await findOriginal(visit)
      if (original === undefined) return undefined
      const typed = read(visit, original.amount, form.get('amount'), form.get('reason'))
      const caller = { clientId: visit.client.id, keyId: original.keyId, scope: 'client' as const }
      const before = await transactions.find(caller, { externalId: `dash-${form.number}` })
      return { original, typed, isDone: before !== undefined }
    },
    // Of what this very form has done before, nothing is as it was; what is wrong is said first.
    facts: (visit, { original, typed, isDone }) =>
      isDone || Object.keys(typed.problems).length > 0 ? [] : seenOf(visit, original, typed),
  }
  pages.action(
    '/dashboard/transactions/:id/refund',
    { action: 'transaction.refund', isSensitive: true, reviewed },
    async (visit, form, { original, typed }) => {
      if (Object.keys(typed.problems).length > 0) return amountScreen(visit, original, typed)
      const { clientId, keyId } = original
      try {
        // By the key of the payment, so that the program that took it sees its refund, too.
        const caller = { clientId, keyId, scope: 'client' as const }
        const refunded = await transactions.refund(caller, {
          transactionId: original.id,
          amount: typed.francs,
          externalId: `dash-${form.number}`,
          ...(typed.reason === '' ? {} : { reason: typed.reason }),
        })
        const made = refunded.kind === 'recorded' ? refunded.transaction : refunded.existing
        const to = `/dashboard/transactions/${made?.id ?? original.id}`
        return { to, text: words[visit.language].done }
      } catch (problem) {
        if (!(problem instanceof Refusal)) throw problem
        const sentence = refusalText(visit, problem)
        return amountScreen(visit, original, { ...typed, problems: { amount: sentence } })
      }
    },
  )
}

/** What the form asks for. */
interface Asked {
  original: Original
  typed: Typed
  /** Whether this form has refunded already, and its answer was lost. */
  isDone: boolean
}

/** What the review shows, and what must still be so when it is sent. */
function seenOf(visit: Visit, original: Original, { francs, reason }: Typed): Fact[] {
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

function refusalText({ language }: Visit, { kind, reasons }: Refusal): string {
  if (kind === 'insufficient_funds') return words[language].poor
  return reasons.map((one) => sentenceOf(one, language)).join(' ')
}

function read({ language }: Visit, left: number, amount: string, reason: string): Typed {
  const { wrong, tooLong } = words[language]
  const francs = readAmount(amount) ?? 0
  const problems: Problems = {}
  if (francs < 1 || francs > left) problems.amount = wrong(formatAmount(left))
  if (reason.length > 500 || !isStorable(reason)) problems.reason = tooLong
  return { amount, reason, francs, problems }
}

function screen(visit: Visit, original: Original, body: Html, status = 200): Screen {
  const { title, back } = words[visit.language]
  return {
    title,
    section: 'transactions',
    status,
    body: html`<p><a href="/dashboard/transactions/${original.id}">${back}</a></p>
<h1>${title}</h1>${body}`,
  }
}

function impossible(visit: Visit, original: Original): Screen {
  const { impossible: never, tooOld } = words[visit.language]
  const text = isPseudonym(original.phone) ? tooOld : never
  return screen(visit, original, html`<p class="notice bad">${text}</p>`, 409)
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

function amountScreen(visit: Visit, original: Original, typed: Typed): Screen {
  const { left, amount, reason, review } = words[visit.language]
  const { problems } = typed
  const body = html`<form class="card" method="get"
 action="/dashboard/transactions/${original.id}/refund">
${facts([...what(visit, original), [left, money(leftOf(original))]])}
${problemList(visit.language, problems)}
${field(
  {
    name: 'amount',
    label: amount,
    value: typed.amount,
    inputmode: 'numeric',
    autocomplete: 'off',
    isRequired: true,
  },
  problems,
)}
${field({ name: 'reason', label: reason, value: typed.reason, maxLength: 500 }, problems)}
<button>${review}</button></form>`
  return screen(visit, original, body, Object.keys(problems).length > 0 ? 422 : 200)
}

function reviewScreen(visit: Visit, original: Original, typed: Typed, available: number): Screen {
  const { check, sum, fee, balance, go, change, reason: reasonWord } = words[visit.language]
  const { reason, francs } = typed
  const path = `/dashboard/transactions/${original.id}/refund`
  const body = html`<form class="card" method="post" action="${path}"><h2>${check}</h2>
${tokenField(visit, seenOf(visit, original, typed))}
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
