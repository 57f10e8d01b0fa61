import { type Html, html } from '#base/kit/html.ts'
import { formatAmount } from '#base/kit/money.ts'
import { limitsOf } from '#merchants/clients/contract.ts'
import type { DashboardContext } from '../context.ts'
import { empty } from '../frame/components.ts'
import { field, type Problems, problemList } from '../frame/fields.ts'
import { providerWord } from '../frame/kinds.ts'
import type { Screen } from '../frame/layout.ts'
import type { Visit } from '../frame/visit.ts'
import { isToPhone, offerOf, type PayKind, type PayOffer, payKinds } from './kinds.ts'
import { kindWords, payWords } from './words.ts'

/** What was typed, by the names of the fields. */
export type Typed = Record<string, string>

const path = '/dashboard/pay'

/** The form of a kind, with what was typed and what is wrong with it. */
export async function formScreen(
  { clients, ledger }: DashboardContext,
  visit: Visit,
  typed: Typed,
  problems: Problems,
): Promise<Screen> {
  const [contract, { available }] = await Promise.all([
    clients.contractOf(visit.client.id),
    ledger.balances(visit.client.id),
  ])
  const { language } = visit
  const offer = offerOf(contract)
  const say = payWords[language]
  const kind = kindIn(typed) ?? offer.keys().next().value
  if (kind === undefined) return payScreen(visit, 200, empty(say.none))
  const own = offer.get(kind)
  const tabs = kindTabs(visit, offer, kind)
  if (own === undefined) return payScreen(visit, 200, html`${tabs}${empty(say.notOffered)}`)
  const { name, lead, service } = kindWords[language][kind]
  // Each service may have its own limits: they are told before only where there is no choice.
  const [only] = own.length === 1 ? own : []
  const limits = limitsOf(contract.terms.get(only?.code ?? ''))
  const options: [string, string][] = own.map(({ code }) => [code, providerWord(language, code)])
  return payScreen(
    visit,
    Object.keys(problems).length > 0 ? 422 : 200,
    html`${tabs}
<form class="card narrow" method="get" action="${path}"><h2>${name}</h2><p class="hint">${lead}</p>
${problemList(language, problems)}
<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="step" value="review">
${field({ name: 'service', label: service, value: typed.service ?? '', options }, problems)}
${toField(visit, kind, typed, problems)}
${kind !== 'bill' && amountField(visit, limits, typed, problems)}
<p class="hint">${say.balance(formatAmount(available))}</p>
<button>${kind === 'bill' ? say.askBill : say.review}</button></form>`,
  )
}

function toField({ language }: Visit, kind: PayKind, typed: Typed, problems: Problems): Html {
  const { to: label, toHint: hint } = kindWords[language][kind]
  const isPhone = isToPhone(kind)
  const form = isPhone ? { type: 'tel', inputmode: 'tel' } : { inputmode: 'numeric' }
  const common = { autocomplete: 'off', isRequired: true, maxLength: 64 }
  return field({ name: 'to', label, hint, value: typed.to ?? '', ...form, ...common }, problems)
}

function amountField(
  { language }: Visit,
  { min, max }: { min: number; max: number },
  typed: Typed,
  problems: Problems,
): Html {
  const { amount: label, between } = payWords[language]
  const hint = between(formatAmount(min), formatAmount(max))
  const form = { inputmode: 'numeric', autocomplete: 'off', isRequired: true, maxLength: 20 }
  return field({ name: 'amount', label, hint, value: typed.amount ?? '', ...form }, problems)
}

/** The kind that an address or a form names. */
export function kindIn({ kind }: Typed): PayKind | undefined {
  return payKinds.find((one) => one === kind)
}

function kindTabs({ language }: Visit, offer: PayOffer, current: PayKind): Html {
  const { kinds } = payWords[language]
  return html`<div class="chips" role="navigation" aria-label="${kinds}">${[...offer.keys()].map(
    (kind) =>
      html`<a href="${path}?kind=${kind}"${kind === current && html` aria-current="page"`}>${
        kindWords[language][kind].name
      }</a>`,
  )}</div>`
}

/** A page of this section. */
export function payScreen({ language }: Visit, code: number, body: Html): Screen {
  const { title } = payWords[language]
  return { title, section: 'pay', status: code, body: html`<h1>${title}</h1>${body}` }
}
