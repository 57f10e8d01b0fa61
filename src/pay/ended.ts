import { formatDateTime } from '../kit/dates.ts'
import type { Html, Piece } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import type { PayerState, PayerView } from '../links/checkout.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
import { headline, isolate, largeAmount, money, order, returnButton, row, time } from './parts.ts'
import { maskPhone } from './phone.ts'
import { returnAddress } from './return-address.ts'
import type { Visit } from './visit.ts'

// Long enough to read a "yes"; what went wrong takes longer.
const returnSeconds = { paid: 8, failed: 20 }

/** The receipt, and the way back to the shop. */
export function paidScreen(
  visit: Visit,
  view: PayerView,
  { receipt }: Extract<PayerState, { kind: 'paid' }>,
): Screen {
  const { words, language } = visit
  return {
    title: words.paidTitle,
    kind: 'paid',
    body: html`<section class="order done" data-wallet="${receipt.serviceCode}">
${headline(icons.check, 'good', words.paidTitle)}
<p class="amount">${largeAmount(receipt.amount)}</p>
<p>${words.paidTo} <b><bdi>${view.shop}</bdi></b></p>
</section>
<div>
${returnButton(visit, returnAddress(view, 'SUCCESS'), returnSeconds.paid)}
<section class="panel receipt"><h2>${words.receipt}</h2>
<dl>
${row(words.shop, html`<bdi>${view.shop}</bdi>`)}
${row(words.item, html`<bdi>${view.item}</bdi>`)}
${row(words.amount, money(receipt.amount))}
${row(words.date, time(receipt.paidAt, language))}
${row(words.wallet, html`<bdi>${receipt.walletName}</bdi>`)}
${row(words.number, maskPhone(receipt.phone, receipt.country))}
${row(words.reference, html`<bdi>${view.reference}</bdi>`)}
${row(words.providerReference, html`<bdi>${receipt.providerReference}</bdi>`)}
${row(words.transaction, html`<small>${view.id}</small>`)}
</dl>
<button type="button" class="second print scripted" hidden>${words.print}</button>
</section>
</div>`,
  }
}

/** The link is closed, and no money moved. */
export function failedScreen(
  visit: Visit,
  view: PayerView,
  { because, lastFailure }: Extract<PayerState, { kind: 'failed' }>,
): Screen {
  const { words } = visit
  const shop = isolate(view.shop)
  const hasGivenUp = because === 'gave_up'
  const title = hasGivenUp ? words.gaveUpTitle : words.exhaustedTitle
  const cause = !hasGivenUp && lastFailure !== null && words.failures[lastFailure.cause]
  const what = hasGivenUp ? words.gaveUpWhat(shop) : words.exhaustedWhat(shop)
  return ended(visit, view, 'failed', title, [
    headline(icons.cross, 'bad', title, html`<b>${words.notDebited}</b>`, cause, what),
    returnButton(visit, returnAddress(view, 'FAILED'), returnSeconds.failed),
  ])
}

/** Too late for this link. */
export function expiredScreen(visit: Visit, view: PayerView): Screen {
  const { words, language } = visit
  const until = formatDateTime(view.expiresAt, language)
  const what = words.expiredWhat(until, isolate(view.shop))
  return ended(visit, view, 'expired', words.expiredTitle, [
    headline(icons.clock, 'bad', words.expiredTitle, html`<b>${words.notDebited}</b>`, what),
    returnButton(visit, returnAddress(view, 'EXPIRED'), null),
  ])
}

function ended(
  visit: Visit,
  view: PayerView,
  kind: string,
  title: string,
  pieces: Piece[],
): Screen {
  return {
    title,
    kind,
    body: html`${order(visit, view, false)}<section class="panel">${pieces}</section>`,
  }
}

/** No such link, or none that we tell of: the same for all. */
export function unknownScreen({ words }: Visit): Screen {
  return alone(words.unknownTitle, icons.info, words.unknownWhat)
}

/** Too many requests. */
export function busyScreen({ words }: Visit, seconds: number): Screen {
  return alone(words.busyTitle, icons.clock, words.busyWhat(seconds))
}

type Trouble = 'foreign' | 'broken' | 'trouble'

/** What could not be done, and that nothing is lost; the link leads back to the payment. */
export function troubleScreen({ words, to }: Visit, trouble: Trouble): Screen {
  const [title, what] = {
    foreign: [words.foreignTitle, words.foreignWhat] as const,
    broken: [words.brokenTitle, words.brokenWhat] as const,
    trouble: [words.troubleTitle, words.troubleWhat] as const,
  }[trouble]
  return alone(title, icons.info, what, html`<a class="button" href="${to()}">${words.open}</a>`)
}

function alone(title: string, icon: Html, what: string, ...more: Piece[]): Screen {
  const body = html`<section class="panel">${headline(icon, 'calm', title, what)}${more}</section>`
  return { title, kind: 'alone', body }
}
