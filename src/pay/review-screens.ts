import { html } from '../kit/html.ts'
import type { PayerView, WalletChoice } from '../links/checkout.ts'
import type { Entry } from './choose-screen.ts'
import { hiddenFields, languageSwitchForm, monogram } from './choose-screen.ts'
import { amountText, headline, isolate, orderSummary, stepIndicator } from './components.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
import { dialCodeOf, groupPhone } from './phone.ts'
import type { Visit } from './visit.ts'

/** The second screen: wallet and number, to confirm before the payment begins. */
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
    languageSwitch: languageSwitchForm(visit, entry, false),
    body: html`${orderSummary(visit, view, false)}
<section class="panel">
${stepIndicator(texts, 2)}
<h1 id="title" tabindex="-1">${texts.reviewTitle}</h1>
<p>${texts.reviewWhat(wallet.name)}</p>
<div class="echo">${monogram(wallet.name)}
<p><small><bdi>${wallet.name}</bdi> · ${country} (${dialCodeOf(wallet.country)})</small>
<b>${groupPhone(entry.phone, wallet.country)}</b></p></div>
<form method="post" action="${visit.hrefOf('pay')}">${hiddenFields(entry)}
<button class="button">${icons.lock}${texts.payNow(amountText(view.amount))}</button></form>
<form method="post" action="${visit.hrefOf('review')}">${hiddenFields(entry)}
<button class="second" name="edit" value="yes">${texts.change}</button></form>
</section>`,
  }
}

/** Asks for confirmation before the link is closed for good. */
export function giveUpScreen(visit: Visit, view: PayerView): Screen {
  const { texts } = visit
  const what = texts.giveUpWhat(isolate(view.shop))
  return {
    title: texts.giveUpTitle,
    kind: 'choose',
    body: html`${orderSummary(visit, view, false)}
<section class="panel">
${headline(icons.info, 'calm', texts.giveUpTitle, what, texts.notDebited)}
<a class="button" href="${visit.hrefOf()}">${texts.giveUpNo}</a>
<form method="post" action="${visit.hrefOf('give-up')}">
<input type="hidden" name="sure" value="yes">
<button class="second danger">${texts.giveUpYes}</button></form>
</section>`,
  }
}
