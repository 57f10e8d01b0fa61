import { formatDateTime } from '../kit/dates.ts'
import type { Html, Piece } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import type { PayerState, PayerView } from '../links/checkout.ts'
import {
  headline,
  isolate,
  largeAmount,
  money,
  order,
  returnButton,
  row,
  time,
} from './components.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
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
  const { texts, language } = visit
  return {
    title: texts.paidTitle,
    kind: 'paid',
    body: html`<section class="order done" data-wallet="${receipt.serviceCode}">
${headline(icons.check, 'good', texts.paidTitle)}
<p class="amount">${largeAmount(receipt.amount)}</p>
<p>${texts.paidTo} <b><bdi>${view.shop}</bdi></b></p>
</section>
<div>
${returnButton(visit, returnAddress(view, 'SUCCESS'), returnSeconds.paid)}
<section class="panel receipt"><h2>${texts.receipt}</h2>
<dl>
${row(texts.shop, html`<bdi>${view.shop}</bdi>`)}
${row(texts.item, html`<bdi>${view.item}</bdi>`)}
${row(texts.amount, money(receipt.amount))}
${row(texts.date, time(receipt.paidAt, language))}
${row(texts.wallet, html`<bdi>${receipt.walletName}</bdi>`)}
${row(texts.number, maskPhone(receipt.phone, receipt.country))}
${row(texts.reference, html`<bdi>${view.reference}</bdi>`)}
${row(texts.providerReference, html`<bdi>${receipt.providerReference}</bdi>`)}
${row(texts.transaction, html`<small>${view.id}</small>`)}
</dl>
<button type="button" class="second print scripted" hidden>${texts.print}</button>
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
  const { texts } = visit
  const shop = isolate(view.shop)
  const hasGivenUp = because === 'gave_up'
  const title = hasGivenUp ? texts.gaveUpTitle : texts.exhaustedTitle
  const cause = !hasGivenUp && lastFailure !== null && texts.failures[lastFailure.cause]
  const what = hasGivenUp ? texts.gaveUpWhat(shop) : texts.exhaustedWhat(shop)
  return ended(visit, view, 'failed', title, [
    headline(icons.cross, 'bad', title, html`<b>${texts.notDebited}</b>`, cause, what),
    returnButton(visit, returnAddress(view, 'FAILED'), returnSeconds.failed),
  ])
}

/** Too late for this link. */
export function expiredScreen(visit: Visit, view: PayerView): Screen {
  const { texts, language } = visit
  const until = formatDateTime(view.expiresAt, language)
  const what = texts.expiredWhat(until, isolate(view.shop))
  return ended(visit, view, 'expired', texts.expiredTitle, [
    headline(icons.clock, 'bad', texts.expiredTitle, html`<b>${texts.notDebited}</b>`, what),
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
export function unknownScreen({ texts }: Visit): Screen {
  return alone(texts.unknownTitle, icons.info, texts.unknownWhat)
}

/** Too many requests. */
export function busyScreen({ texts }: Visit, seconds: number): Screen {
  return alone(texts.busyTitle, icons.clock, texts.busyWhat(seconds))
}

type Trouble = 'foreign' | 'broken' | 'trouble'

/** What could not be done, and that nothing is lost; the link leads back to the payment. */
export function troubleScreen({ texts, to }: Visit, trouble: Trouble): Screen {
  const [title, what] = {
    foreign: [texts.foreignTitle, texts.foreignWhat] as const,
    broken: [texts.brokenTitle, texts.brokenWhat] as const,
    trouble: [texts.troubleTitle, texts.troubleWhat] as const,
  }[trouble]
  return alone(title, icons.info, what, html`<a class="button" href="${to()}">${texts.open}</a>`)
}

function alone(title: string, icon: Html, what: string, ...more: Piece[]): Screen {
  const body = html`<section class="panel">${headline(icon, 'calm', title, what)}${more}</section>`
  return { title, kind: 'alone', body }
}
