import type { Html, Piece } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import type { Failure, PayerView, WalletChoice } from '../links/checkout.ts'
import {
  amountText,
  checkButton,
  initialOf,
  notice,
  orderSummary,
  problemList,
  stepIndicator,
} from './components.ts'
import type { PageTexts } from './french.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
import { dialCodeOf, groupPhone, likelyCountry } from './phone.ts'
import type { Visit } from './visit.ts'

/** The payer's input, as it was typed. */
export interface Entry {
  serviceCode: string
  country: string
  phone: string
}

export type EntryProblem = 'service' | 'unavailable' | 'phone_missing' | 'phone' | 'phone_country'

/** The first screen: the order, and a form for wallet and number. */
export function chooseScreen(
  visit: Visit,
  view: PayerView,
  entry: Entry = suggestEntry(view),
  problems: EntryProblem[] = [],
): Screen {
  const { texts } = visit
  const title = texts.chooseTitle(amountText(view.amount))
  const failure = view.state.kind === 'choose' ? view.state.lastFailure : null
  const listed = problems.map((one) => ({
    field: isPhoneProblem(one) ? 'phone' : walletId(firstSelectableIndex(view, entry)),
    text: texts.problems[one],
  }))
  const isOpen = view.wallets.some((wallet) => wallet.isAvailable)
  return {
    title: problems.length > 0 ? `${texts.problemsTitle} · ${title}` : title,
    kind: isOpen ? 'choose' : 'closed',
    body: html`${orderSummary(visit, view, true)}
<section class="panel">
${listed.length > 0 && problemList(visit, listed)}
${failure !== null && listed.length === 0 && failureNotice(texts, failure, view.attemptsLeft)}
${isOpen ? form(visit, view, entry, problems) : noneAvailable(visit)}
<form method="post" action="${visit.hrefOf('give-up')}">
<button class="quiet">${texts.giveUp}</button></form>
</section>`,
    ...(visit.isPosted
      ? { languageSwitch: languageSwitchForm(visit, entry, problems.length === 0) }
      : {}),
  }
}

/** Hidden fields that pass the input to the next screen; the server stores none of it. */
export function hiddenFields({ serviceCode, country, phone }: Entry): Html {
  return html`<input type="hidden" name="serviceCode" value="${serviceCode}">
<input type="hidden" name="country" value="${country}">
<input type="hidden" name="phone" value="${phone}">`
}

/** A switch to the other language that keeps the input; `isEdited` leads to the first screen. */
export function languageSwitchForm(visit: Visit, entry: Entry, isEdited: boolean): Html {
  const other = visit.language === 'fr' ? 'en' : 'fr'
  const [action] = visit.hrefOf('review').split('?')
  const edit = isEdited && html` name="edit" value="yes"`
  return html`<form method="post" action="${action}?lang=${other}">${hiddenFields(entry)}
<button lang="${other}"${edit}>${visit.texts.otherLanguage}</button></form>`
}

/** The default input: the only available wallet, and the country of the customer's number. */
function suggestEntry({ wallets, customerPhone, state }: PayerView): Entry {
  const failed = state.kind === 'choose' ? state.lastFailure?.walletName : undefined
  const open = wallets.filter((wallet) => wallet.isAvailable)
  const [only, another] = open
  const likely = likelyCountry(customerPhone ?? '')
  const country = open.find((wallet) => wallet.country === likely)?.country ?? only?.country ?? ''
  const isSure = only !== undefined && another === undefined && only.name !== failed
  return {
    serviceCode: isSure ? only.serviceCode : '',
    country,
    phone: customerPhone === null ? '' : groupPhone(customerPhone, country),
  }
}

function isPhoneProblem(problem: EntryProblem): boolean {
  return problem.startsWith('phone')
}

/** The index of the first available wallet of the selected country. */
function firstSelectableIndex({ wallets }: PayerView, { country }: Entry): number {
  const isShown = (wallet: WalletChoice) => country === '' || wallet.country === country
  return wallets.findIndex((wallet) => wallet.isAvailable && isShown(wallet))
}

function walletId(index: number): string {
  return `wallet-${index}`
}

function failureNotice(texts: PageTexts, { cause, walletName }: Failure, left: number): Html {
  const title = html`<b>${texts.failureTitle(walletName)}</b>`
  const safe = html`<strong>${texts.notDebited}</strong>`
  return notice(icons.info, 'bad', title, safe, texts.failures[cause], texts.tryAgain(left))
}

function noneAvailable(visit: Visit): Html {
  const { noneAvailable: title, noneAvailableWhat: what, retry } = visit.texts
  return html`${notice(icons.clock, 'calm', html`<b>${title}</b>`, what)}
${checkButton(visit, retry)}`
}

function form(visit: Visit, view: PayerView, entry: Entry, problems: EntryProblem[]): Html {
  const { texts } = visit
  const countries = [...new Set(view.wallets.map((wallet) => wallet.country))]
  const wrong = problems.find((one) => !isPhoneProblem(one))
  const described = wrong !== undefined && html` aria-describedby="wallet-error"`
  const focused = wrong === undefined ? undefined : firstSelectableIndex(view, entry)
  const groups = countries.map((country) => {
    const cards = view.wallets.map(
      (wallet, index) =>
        wallet.country === country && walletCard(texts, wallet, index, entry, index === focused),
    )
    return walletGroup(texts, countries.length > 1 ? country : '', cards)
  })
  return html`<form method="post" action="${visit.hrefOf('review')}" novalidate>
${stepIndicator(texts, 1)}
${countries.length > 1 && countryChoice(texts, countries, entry)}
<fieldset${described}><legend>${texts.payWith}</legend>
${wrong !== undefined && html`<p class="wrong" id="wallet-error">${texts.problems[wrong]}</p>`}
${groups}
</fieldset>
${phoneField(texts, countries, entry, problems.find(isPhoneProblem), focused === undefined)}
<button class="button">${texts.next}</button>
</form>`
}

/** CSS shows it only in browsers that can hide the wallets of other countries (`:has`). */
function countryChoice(texts: PageTexts, countries: string[], entry: Entry): Html {
  const choices = countries.map((country) => {
    const isChosen = country === entry.country && ' checked'
    return html`<label><input type="radio" name="country" value="${country}"${isChosen}>
<span>${texts.countries[country] ?? country}</span></label>`
  })
  return html`<fieldset class="countries"><legend>${texts.country}</legend><div>
${choices}</div></fieldset>`
}

/** The wallets of a country under its name; an empty country means that there is only one. */
function walletGroup(texts: PageTexts, country: string, cards: Piece[]): Html {
  const name = country !== '' && html`<p class="group">${texts.countries[country] ?? country}</p>`
  return html`<div class="wallets" data-country="${country}">${name}${cards}</div>`
}

function walletCard(
  texts: PageTexts,
  wallet: WalletChoice,
  index: number,
  entry: Entry,
  isFocused: boolean,
): Html {
  const { serviceCode, name, isAvailable } = wallet
  const isChosen = isAvailable && serviceCode === entry.serviceCode
  const state = [isChosen && ' checked', !isAvailable && ' disabled', isFocused && ' autofocus']
  return html`<label class="wallet">
<input type="radio" name="serviceCode" id="${walletId(index)}" value="${serviceCode}"${state}>
${monogram(name)}<span class="name"><b><bdi>${name}</bdi></b>
<small>${isAvailable ? texts.steps[wallet.step] : texts.down}</small></span><i></i></label>`
}

/** The first letter on a colour, in place of a logo: trade marks are not ours to show. */
export function monogram(name: string): Html {
  const last = name.trim().split(/\s+/).at(-1) ?? ''
  const letter = initialOf(last.length === 1 ? last : name)
  const colour = (letter.codePointAt(0) ?? 0) % 7
  return html`<span class="mono c${colour}" aria-hidden="true">${letter}</span>`
}

function phoneField(
  texts: PageTexts,
  countries: string[],
  entry: Entry,
  problem: EntryProblem | undefined,
  mayFocus: boolean,
): Html {
  const [first = '', another] = countries
  const isOneCountry = another === undefined
  const hintFor = (country: string) => texts.phoneHints[country] ?? texts.phoneHint
  const hints = countries.map(
    (country) => html`<span data-country="${country}">${hintFor(country)}</span>`,
  )
  const hint = isOneCountry
    ? hintFor(first)
    : html`<span class="group">${texts.phoneHint}</span>${hints}`
  const isWrong = problem !== undefined
  const state = [isWrong && html` aria-invalid="true"`, isWrong && mayFocus && ' autofocus']
  const codes = countries.map(
    (country) =>
      html`<span data-country="${isOneCountry ? '' : country}">${dialCodeOf(country)}</span>`,
  )
  return html`<div class="field"><label for="phone">${texts.phone}</label>
<p class="hint" id="phone-hint">${hint}</p>
${isWrong && html`<p class="wrong" id="phone-error">${texts.problems[problem]}</p>`}
<div class="box">${codes}<input id="phone" name="phone" type="tel" inputmode="numeric" required
 autocomplete="tel-national" maxlength="30" value="${entry.phone}"
 aria-describedby="phone-hint${isWrong && ' phone-error'}"${state}></div></div>`
}
