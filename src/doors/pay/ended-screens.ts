import { formatDateTime } from '#base/kit/dates.ts'
import { html } from '#base/kit/html.ts'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import { icons } from '#edge/pages/icons.ts'
import type { PayerState, PayerView } from '#money/links/checkout.ts'
import {
  amountText,
  causeText,
  headline,
  isolate,
  largeAmount,
  returnButton,
  row,
  timeElement,
} from './components.ts'
import { orderScreen } from './order-screen.ts'
import type { Screen } from './page.ts'
import { returnAddress } from './return-address.ts'
import type { Visit } from './visit.ts'

// Seconds until the page returns to the shop: time to read the result; failures take longer.
const returnSeconds = { paid: 8, failed: 20 }

// For so long an address that was given to the payer tells of what has just happened, and leads
// back to the shop: it stays in the browser, and may be sent on.
const newsMs = 600_000

function isNewsOf({ isPayer, now }: Visit, endedAt: Date): boolean {
  return isPayer && now.getTime() - endedAt.getTime() < newsMs
}

/** The receipt, and the link back to the shop. */
export function paidScreen(
  visit: Visit,
  view: PayerView,
  { receipt }: Extract<PayerState, { kind: 'paid' }>,
): Screen {
  const { texts, language } = visit
  const { paidAt } = receipt
  const isNews = isNewsOf(visit, paidAt)
  const title = isNews ? texts.paidTitle : texts.paidBefore(formatDateTime(paidAt, language))
  return {
    title,
    kind: 'paid',
    body: html`<section class="order done"${isNews && html` data-wallet="${receipt.serviceCode}"`}>
${headline(icons.check, 'good', title)}
<p class="amount">${largeAmount(receipt.amount)}</p>
<p>${texts.paidTo} <b><bdi>${view.shop}</bdi></b></p>
</section>
<div>
${returnButton(visit, returnAddress(view, 'SUCCESS'), isNews ? returnSeconds.paid : null)}
<section class="panel receipt"><h2>${texts.receipt}</h2>
<dl>
${row(texts.shop, html`<bdi>${view.shop}</bdi>`)}
${row(texts.item, html`<bdi>${view.item}</bdi>`)}
${row(texts.amount, amountText(receipt.amount))}
${row(texts.date, timeElement(paidAt, language))}
${row(texts.wallet, html`<bdi>${receipt.walletName}</bdi>`)}
${row(texts.number, maskPhone(receipt.phone))}
${row(texts.reference, html`<bdi>${view.reference}</bdi>`)}
${row(texts.providerReference, html`<bdi>${receipt.providerReference}</bdi>`)}
${row(texts.transaction, html`<small>${view.id}</small>`)}
</dl>
<button type="button" class="second share" data-copied="${texts.copied}" hidden>
${texts.share}</button>
<button type="button" class="second print scripted" hidden>${texts.print}</button>
</section>
</div>`,
  }
}

/** The link is closed without a payment; nothing was debited. */
export function failedScreen(
  visit: Visit,
  view: PayerView,
  { because, lastFailure, endedAt }: Extract<PayerState, { kind: 'failed' }>,
): Screen {
  const { texts } = visit
  const shop = isolate(view.shop)
  const hasGivenUp = because === 'gave_up'
  const title = hasGivenUp ? texts.gaveUpTitle : texts.exhaustedTitle
  const cause = !hasGivenUp && lastFailure !== null && causeText(texts, view, lastFailure)
  const seconds = isNewsOf(visit, endedAt) ? returnSeconds.failed : null
  const what = hasGivenUp ? texts.gaveUpWhat(shop) : texts.exhaustedWhat(shop)
  return orderScreen(visit, view, 'failed', title, [
    headline(icons.cross, 'bad', title, cause, html`<b>${texts.notDebited}</b>`, what),
    returnButton(visit, returnAddress(view, 'FAILED'), seconds),
  ])
}

/** The link has expired. */
export function expiredScreen(visit: Visit, view: PayerView): Screen {
  const { texts, language } = visit
  const until = formatDateTime(view.expiresAt, language)
  const what = texts.expiredWhat(until, isolate(view.shop))
  return orderScreen(visit, view, 'expired', texts.expiredTitle, [
    headline(icons.clock, 'bad', texts.expiredTitle, html`<b>${texts.notDebited}</b>`, what),
    returnButton(visit, returnAddress(view, 'EXPIRED'), null),
  ])
}
