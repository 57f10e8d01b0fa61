import { html } from '../kit/html.ts'
import type { PayerView, WalletChoice } from '../links/checkout.ts'
import type { Entry } from './choose-screen.ts'
import { carry, monogram, switchWith } from './choose-screen.ts'
import { headline, isolate, money, order, step } from './components.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
import { dialCodeOf, groupPhone } from './phone.ts'
import type { Visit } from './visit.ts'

/** The number, large, before anything is asked of it. */
export function reviewScreen(
  visit: Visit,
  view: PayerView,
  wallet: WalletChoice,
  entry: Entry,
): Screen {
  const { texts } = visit
  const country = texts.countries[wallet.country] ?? wallet.country
  return {
    title: texts.reviewTitle,
    kind: 'choose',
    languageSwitch: switchWith(visit, entry, false),
    body: html`${order(visit, view, false)}
<section class="panel">
${step(texts, 2)}
<h1 id="title" tabindex="-1">${texts.reviewTitle}</h1>
<p>${texts.reviewWhat(wallet.name)}</p>
<div class="echo">${monogram(wallet.name)}
<p><small><bdi>${wallet.name}</bdi> · ${country} (${dialCodeOf(wallet.country)})</small>
<b>${groupPhone(entry.phone, wallet.country)}</b></p></div>
<form method="post" action="${visit.to('pay')}">${carry(entry)}
<button class="button">${icons.lock}${texts.payNow(money(view.amount))}</button></form>
<form method="post" action="${visit.to('review')}">${carry(entry)}
<button class="second" name="edit" value="yes">${texts.change}</button></form>
</section>`,
  }
}

/** Asks once more before a link is closed for good. */
export function giveUpScreen(visit: Visit, view: PayerView): Screen {
  const { texts } = visit
  const what = texts.giveUpWhat(isolate(view.shop))
  return {
    title: texts.giveUpTitle,
    kind: 'choose',
    body: html`${order(visit, view, false)}
<section class="panel">
${headline(icons.info, 'calm', texts.giveUpTitle, what, texts.notDebited)}
<a class="button" href="${visit.to()}">${texts.giveUpNo}</a>
<form method="post" action="${visit.to('give-up')}">
<input type="hidden" name="sure" value="yes">
<button class="second danger">${texts.giveUpYes}</button></form>
</section>`,
  }
}
