import { type Html, html, type Piece } from '#base/kit/html.ts'
import { locales } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { groupPhone } from '#merchants/catalog/phone.ts'
import type { Bill } from '#money/providers/contract.ts'
import { facts, hrefWith, moment, money, moneyFact, status } from '../frame/components.ts'
import { confirmFields } from '../frame/confirm.ts'
import { providerWord } from '../frame/kinds.ts'
import { type Screen, tokenField } from '../frame/layout.ts'
import type { Fact } from '../frame/reviewed.ts'
import type { Visit } from '../frame/visit.ts'
import { payScreen, type Typed } from './form-screen.ts'
import { isToPhone } from './kinds.ts'
import type { Payment, Review } from './review.ts'
import { kindWords, payWords } from './words.ts'

const path = '/dashboard/pay'

/** All that is about to happen, and the button that does it. */
export function reviewScreen(visit: Visit, review: Review, notice?: Html): Screen {
  const say = payWords[visit.language]
  const { kind, service, to, amount, fee, available } = review
  const label = kindWords[visit.language][kind]
  const number = isToPhone(kind) ? groupPhone(to, service.country) : to
  const hidden = hiddenFields(review)
  const total = amount + fee
  return payScreen(
    visit,
    notice === undefined ? 200 : 422,
    html`${notice}
${earlierNotice(visit, review)}
<form class="card narrow" method="post" action="${path}"><h2>${say.check}</h2>
${tokenField(visit, seenOf(visit, review))}
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${facts([
  [say.payer, html`<bdi>${visit.client.name}</bdi>`],
  [label.service, providerWord(visit.language, service.code)],
  [label.to, html`<b class="money">${number}</b>`],
  ...customerFacts(visit, review),
  [say.sum, html`<b class="large">${money(amount)}</b>`],
  [say.fee, money(fee)],
  [say.total, html`<b>${money(total)}</b>`],
  [say.after, money(available - total)],
])}
<p class="ways"><button>${say.go(formatAmount(amount))}</button>
<a class="button second" href="${changeHref(visit, review)}">${say.change}</a></p></form>
${otherBills(visit, review)}`,
  )
}

/** What must still be so when the review is sent. */
export function seenOf({ client, language }: Visit, asked: Payment): Fact[] {
  const say = payWords[language]
  const { kind, service, to, amount, fee, billReference } = asked
  const label = kindWords[language][kind]
  return [
    { name: 'payer', label: say.payer, value: client.name },
    {
      name: 'service',
      label: label.service,
      value: service.code,
      show: () => providerWord(language, service.code),
    },
    { name: 'to', label: label.to, value: to },
    { name: 'bill', label: say.bill, value: billReference },
    moneyFact('amount', say.sum, amount),
    moneyFact('fee', say.fee, fee),
  ]
}

/** What the review sends; the amount and the bill are those that the person has seen. */
function hiddenFields({ kind, service, to, amount, billReference }: Review): [string, string][] {
  return [
    ['kind', kind],
    ['service', service.code],
    ['to', to],
    ['amount', String(amount)],
    ['bill', billReference],
    // The address of this review, where a person changes the language after it was sent.
    ['step', 'review'],
  ]
}

function changeHref(visit: Visit, { kind, service, to, amount }: Review): string {
  const typed = { kind, service: service.code, to }
  const query = kind === 'bill' ? typed : { ...typed, amount: String(amount) }
  return hrefWith({ ...visit, path, query: {} }, query)
}

function customerFacts(visit: Visit, { kind, name, bill }: Review): [string, Piece][] {
  const say = payWords[visit.language]
  return [
    [isToPhone(kind) ? say.knownAs : say.customer, name !== '' && html`<bdi>${name}</bdi>`],
    [say.address, bill?.address],
    [say.meterState, bill?.meterStatus],
    [say.bill, kind === 'bill' && html`<code>${bill?.reference}</code>`],
    [say.dueOn, kind === 'bill' && dayText(visit, bill?.dueOn ?? null)],
  ]
}

function dayText({ language }: Visit, day: string | null): string {
  if (day === null) return ''
  const form = new Intl.DateTimeFormat(locales[language], {
    timeZone: 'UTC',
    dateStyle: 'long',
  })
  return form.format(new Date(`${day}T00:00:00Z`))
}

function earlierNotice(visit: Visit, { earlier }: Review): Piece {
  if (earlier === undefined) return null
  const say = payWords[visit.language]
  return html`<div class="notice narrow" role="alert"><p><b>${say.earlier}</b>
<a href="/dashboard/transactions/${earlier.id}">${moment(visit, earlier.createdAt)}</a>
${status(visit.language, earlier.status)}</p><p>${say.earlierEnd}</p></div>`
}

function otherBills(visit: Visit, { kind, service, to, otherBills: others }: Review): Piece {
  if (others.length === 0) return null
  const say = payWords[visit.language]
  const wayTo = ({ reference: bill }: Bill) =>
    hrefWith({ path, query: {} }, { kind, service: service.code, to, bill, step: 'review' })
  return html`<section class="card narrow"><h2>${say.otherBills}</h2>
<ul class="list">${others.map(
    (one) =>
      html`<li><a href="${wayTo(one)}">${formatAmount(one.amount)}${
        one.dueOn !== null && `, ${say.before} ${dayText(visit, one.dueOn)}`
      }</a> <code class="hint">${one.reference}</code></li>`,
  )}</ul></section>`
}

/** After an error of ours: the same form again, which pays once however often it is sent. */
export function unsureScreen(visit: Visit, fields: Typed, code: number): Screen {
  const say = payWords[visit.language]
  const secret = new Set<string>(confirmFields)
  const kept = Object.entries(fields).filter(([name]) => !secret.has(name))
  return payScreen(
    visit,
    code,
    html`<form class="card narrow" method="post" action="${path}"><h2>${say.unsure}</h2>
<p>${say.unsureText}</p>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>${say.lookAgain}</button></form>`,
  )
}
