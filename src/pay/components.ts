import { formatDateTime } from '../kit/dates.ts'
import type { Html, Piece } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import { formatAmount } from '../kit/money.ts'
import type { PayerView } from '../links/checkout.ts'
import type { PageTexts } from './french.ts'
import { icons } from './icons.ts'
import type { Visit } from './visit.ts'

/** What is paid, to whom and how much; `isTitle` where this is what the page is about. */
export function order({ texts, language }: Visit, view: PayerView, isTitle: boolean): Html {
  const sum = html`<span class="mono" aria-hidden="true">${initialOf(view.shop)}</span>
<span class="shop"><small>${texts.payTo}</small> <bdi>${view.shop}</bdi></span>
<span class="amount">${largeAmount(view.amount)}</span>`
  const title = html`<h1 id="title" tabindex="-1" class="sum">${sum}</h1>`
  return html`<section class="${isTitle ? 'order' : 'order brief'}">
${isTitle ? title : html`<p class="sum">${sum}</p>`}
<p class="item"><bdi>${view.item}</bdi></p>
<dl>
${view.customerName !== null && row(texts.customer, html`<bdi>${view.customerName}</bdi>`)}
${row(texts.reference, html`<bdi>${view.reference}</bdi>`)}
${row(texts.validUntil, time(view.expiresAt, language))}
</dl>
</section>`
}

/** The figure large, the currency beside it. */
export function largeAmount(francs: number): Html {
  const [figure, ...currency] = money(francs).split('\u00a0')
  return html`${figure}<i>\u00a0${currency.join('\u00a0')}</i>`
}

/** An amount that stays on one line. */
export function money(francs: number): string {
  return formatAmount(francs).replaceAll(' ', '\u00a0')
}

/** A name of somebody else's within a sentence of ours, whichever way it is written. */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`
}

/** The first letter of a name, whole even where it takes two places. */
export function initialOf(name: string): string {
  const code = name.trim().codePointAt(0)
  return code === undefined ? '' : String.fromCodePoint(code).toUpperCase()
}

/** One line of a list of facts. */
export function row(name: string, value: Piece): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

/** A moment, to the minute and with its time zone: never "in 5 minutes". */
export function time(date: Date, language: 'fr' | 'en'): Html {
  return html`<time datetime="${date.toISOString()}">${formatDateTime(date, language)}</time>`
}

/** How far the payer has come. */
export function step(texts: PageTexts, now: 1 | 2 | 3): Html {
  return html`<p class="step s${now}">${texts.step(now)}</p>`
}

type Tone = 'good' | 'bad' | 'calm' | 'wait'

/** The head of a screen: a drawing, what is so, and what it means. */
export function headline(icon: Html, tone: Tone, title: string, ...more: Piece[]): Html {
  return html`<div class="head ${tone}"><span class="sign">${icon}</span>
<h1 id="title" tabindex="-1">${title}</h1>${paragraphs(more)}</div>`
}

/** A box that stands out by its frame and drawing, not by colour alone. */
export function notice(icon: Html, tone: Tone, ...lines: Piece[]): Html {
  return html`<div class="notice ${tone}">${icon}<div>${paragraphs(lines)}</div></div>`
}

function paragraphs(pieces: Piece[]): Html[] {
  return pieces.filter((one) => one !== false).map((one) => html`<p>${one}</p>`)
}

/** Everything that is wrong, on top, each with a way to its field. */
export function problemList(visit: Visit, problems: { field: string; text: string }[]): Html {
  return html`<div class="notice bad" role="alert">${icons.info}<div>
<p><b>${visit.texts.problemsTitle}</b></p>
<ul>${problems.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}</ul>
</div></div>`
}

/** Looks again, with or without a script. */
export function checkButton({ texts, askedLanguage, to }: Visit, label = texts.check): Html {
  const lang =
    askedLanguage !== undefined && html`<input type="hidden" name="lang" value="${askedLanguage}">`
  return html`<form method="get" action="${to()}">${lang}
<button class="second">${label}</button></form>
<p class="hint scripted" hidden>${texts.updates}</p>`
}

/** The way back to the shop; after `seconds`, by itself where there is a script. */
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
