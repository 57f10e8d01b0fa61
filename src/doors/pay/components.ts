import { formatDateTime } from '#base/kit/dates.ts'
import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { formatAmount } from '#base/kit/money.ts'
import { icons } from '#edge/pages/icons.ts'
import type { Failure, PayerView } from '#money/links/checkout.ts'
import type { PageTexts } from './french.ts'
import type { Visit } from './visit.ts'

/**
 * Shop, amount, item and reference. `isTitle` makes it the heading of the page; a brief one has
 * only shop and amount on a phone.
 */
export function orderSummary(
  visit: Visit,
  view: PayerView,
  { isTitle, isBrief } = { isTitle: false, isBrief: true },
): Html {
  const { texts, language } = visit
  const sum = html`${shopSign(visit, view)}
<span class="shop"><small>${texts.payTo}</small> <bdi>${view.shop}</bdi></span>
<span class="amount">${largeAmount(view.amount)}</span>`
  const title = html`<h1 id="title" tabindex="-1" class="sum">${sum}</h1>`
  return html`<section class="${isBrief ? 'order brief' : 'order'}">
${isTitle ? title : html`<p class="sum">${sum}</p>`}
<p class="item"><bdi>${view.item}</bdi></p>
<dl>
${view.customerName !== null && row(texts.customer, html`<bdi>${view.customerName}</bdi>`)}
${row(texts.reference, html`<bdi>${view.reference}</bdi>`)}
${row(texts.validUntil, timeElement(view.expiresAt, language))}
</dl>
</section>`
}

/** The merchant's logo, else the first letter of the shop. Its name stands beside it as text. */
function shopSign({ logoHrefOf }: Visit, { shop, brand: { logo } }: PayerView): Html {
  if (logo === null) return html`<span class="mono" aria-hidden="true">${initialOf(shop)}</span>`
  return html`<img class="logo" alt="" src="${logoHrefOf(logo.hash)}" width="${logo.width}"
 height="${logo.height}" decoding="async">`
}

/** The amount in large type, its currency in smaller type. */
export function largeAmount(francs: number): Html {
  const [figure, ...currency] = amountText(francs).split('\u00a0')
  return html`${figure}<i>\u00a0${currency.join('\u00a0')}</i>`
}

/** An amount with no-break spaces only. */
export function amountText(francs: number): string {
  return formatAmount(francs).replaceAll(' ', '\u00a0')
}

/** A name isolated from the text direction of the sentence around it. */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`
}

/** The first code point of a name, in upper case. */
export function initialOf(name: string): string {
  const code = name.trim().codePointAt(0)
  return code === undefined ? '' : String.fromCodePoint(code).toUpperCase()
}

/** The first letter on a colour, in place of a logo: trade marks are not ours to show. */
export function monogram(name: string): Html {
  const last = name.trim().split(/\s+/).at(-1) ?? ''
  const letter = initialOf(last.length === 1 ? last : name)
  const colour = (letter.codePointAt(0) ?? 0) % 7
  return html`<span class="mono c${colour}" aria-hidden="true">${letter}</span>`
}

/** Why a payment failed. Only a wallet with a prompt on the phone can be refused there. */
export function causeText(texts: PageTexts, view: PayerView, failure: Failure): string {
  const { cause, serviceCode } = failure
  const step = view.wallets.find((wallet) => wallet.serviceCode === serviceCode)?.step
  const isCancelled = cause === 'payer_refused' && step !== undefined && step !== 'push'
  return isCancelled ? texts.cancelled : texts.failures[cause]
}

/** One entry of a definition list. */
export function row(name: string, value: Piece): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

/** An absolute date and time with time zone, also machine-readable. */
export function timeElement(date: Date, language: Language): Html {
  return html`<time datetime="${date.toISOString()}">${formatDateTime(date, language)}</time>`
}

/** The indicator "Step 1 of 3". */
export function stepIndicator(texts: PageTexts, now: 1 | 2 | 3): Html {
  return html`<p class="step s${now}">${texts.step(now)}</p>`
}

type Tone = 'good' | 'bad' | 'calm' | 'wait'

/** The head of a screen: icon, title and paragraphs. */
export function headline(icon: Html, tone: Tone, title: string, ...more: Piece[]): Html {
  return html`<div class="head ${tone}"><span class="sign">${icon}</span>
<h1 id="title" tabindex="-1">${title}</h1>${paragraphs(more)}</div>`
}

/** A framed box with an icon, so that it does not depend on colour alone. */
export function notice(icon: Html, tone: Tone, ...lines: Piece[]): Html {
  return html`<div class="notice ${tone}">${icon}<div>${paragraphs(lines)}</div></div>`
}

function paragraphs(pieces: Piece[]): Html[] {
  return pieces.filter((one) => one !== false).map((one) => html`<p>${one}</p>`)
}

/** All input errors, each with a link to its field. */
export function problemList(visit: Visit, problems: { field: string; text: string }[]): Html {
  return html`<div class="notice bad" role="alert">${icons.info}<div>
<p><b>${visit.texts.problemsTitle}</b></p>
<ul>${problems.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}</ul>
</div></div>`
}

/** A button that reloads the page, and when the page last looked at the payment. */
export function checkButton(
  { texts, askedLanguage, isPayer, hrefOf, now }: Visit,
  label = texts.check,
): Html {
  // The query of a form's address gives way to its fields.
  const kept = { lang: askedLanguage, payer: isPayer ? '1' : undefined }
  const fields = Object.entries(kept).map(
    ([name, value]) =>
      value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const time = now.toISOString().slice(11, 19)
  return html`<form method="get" action="${hrefOf()}">${fields}
<button class="second">${label}</button></form>
<p class="hint">${texts.lookedAt} <span id="looked">${time}</span> GMT. ${texts.updates}</p>`
}

/** The link back to the shop; with a script the page follows it after `seconds`. */
export function returnButton(
  { texts }: Visit,
  address: string | null,
  seconds: number | null,
): Html {
  if (address === null) return html``
  const auto = html`<p class="auto" data-seconds="${seconds ?? 0}" hidden>
<span>${texts.backIn} <b></b> ${texts.seconds}</span>
<button type="button" class="quiet">${texts.stay}</button></p>`
  return html`<div class="return">
<a class="button" href="${address}" rel="noopener noreferrer">${texts.back}</a>
${seconds !== null && auto}</div>`
}
