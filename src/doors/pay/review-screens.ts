import { type Html, html } from '#base/kit/html.ts'
import { icons } from '#edge/pages/icons.ts'
import { countryName } from '#merchants/catalog/countries.ts'
import { dialCodeOf, groupPhone } from '#merchants/catalog/phone.ts'
import type { PayerView, WalletChoice } from '#money/links/checkout.ts'
import {
  amountText,
  headline,
  isolate,
  monogram,
  orderSummary,
  problemList,
  stepIndicator,
} from './components.ts'
import { type Account, hiddenAccount, suggestWallet, walletsOf } from './entry.ts'
import type { PageTexts } from './french.ts'
import { type Entry, type WalletProblem, walletProblemOf } from './notes.ts'
import type { Screen } from './page.ts'
import type { Visit } from './visit.ts'

/** The second screen: the number to confirm and the wallet to choose before the payment begins. */
export function reviewScreen(
  visit: Visit,
  view: PayerView,
  entry: Entry,
  account: Account,
): Screen {
  const { texts } = visit
  const problem = walletProblemOf(visit.note)
  const { phone, country } = account
  const typed = { ...entry, country, phone: groupPhone(phone, country) }
  const isWrong = problem !== undefined
  const wallets = walletsOf(view, account)
  const first = wallets.findIndex((wallet) => wallet.isAvailable)
  return {
    title: isWrong ? `${texts.problemsTitle} · ${texts.reviewTitle}` : texts.reviewTitle,
    kind: 'choose',
    body: html`${orderSummary(visit, view)}
<section class="panel">
${isWrong && problemList(visit, [{ field: walletId(first), text: texts.problems[problem] }])}
${stepIndicator(texts, 2)}
<h1 id="title" tabindex="-1">${texts.reviewTitle}</h1>
<p class="echo"><b>${typed.phone}</b>
<small>${countryName(visit.language, country)} (${dialCodeOf(country)})</small></p>
<form method="post" action="${visit.hrefOf('pay')}" novalidate>${hiddenAccount(account)}
${walletChoice(texts, wallets, suggestWallet(view, account, entry.serviceCode), problem)}
<button class="button">${icons.lock}${texts.payNow(amountText(view.amount))}</button></form>
<a class="second" href="${visit.hrefOf(undefined, { note: { entry: typed } })}">${texts.change}</a>
</section>`,
  }
}

function walletChoice(
  texts: PageTexts,
  wallets: WalletChoice[],
  suggested: string,
  problem: WalletProblem | undefined,
): Html {
  const isWrong = problem !== undefined
  const focused = isWrong ? wallets.findIndex((wallet) => wallet.isAvailable) : undefined
  const cards = wallets.map((wallet, index) => {
    const state = [
      wallet.serviceCode === suggested && ' checked',
      !wallet.isAvailable && ' disabled',
      index === focused && ' autofocus',
    ]
    return html`<label class="wallet">
<input type="radio" name="serviceCode" id="${walletId(index)}"
 value="${wallet.serviceCode}"${state}>
${monogram(wallet.name)}<span class="name"><b><bdi>${wallet.name}</bdi></b>
<small>${wallet.isAvailable ? texts.steps[wallet.step] : texts.down}</small></span><i></i></label>`
  })
  return html`<fieldset${isWrong && html` aria-describedby="wallet-error"`}>
<legend>${texts.payWith}</legend>
${isWrong && html`<p class="wrong" id="wallet-error">${texts.problems[problem]}</p>`}
${!isWrong && suggested !== '' && html`<p class="hint">${texts.suggested}</p>`}
<div class="wallets">${cards}</div></fieldset>`
}

function walletId(index: number): string {
  return `wallet-${index}`
}

/** Asks for confirmation before the link is closed for good. */
export function giveUpScreen(visit: Visit, view: PayerView): Screen {
  const { texts } = visit
  const what = texts.giveUpWhat(isolate(view.shop))
  return {
    title: texts.giveUpTitle,
    kind: 'choose',
    body: html`${orderSummary(visit, view)}
<section class="panel">
${headline(icons.info, 'calm', texts.giveUpTitle, what, texts.notDebited)}
<a class="button" href="${visit.hrefOf()}">${texts.giveUpNo}</a>
<form method="post" action="${visit.hrefOf('give-up')}">
<input type="hidden" name="sure" value="yes">
<button class="second danger">${texts.giveUpYes}</button></form>
</section>`,
  }
}
