import type { Html } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import { formatAmount } from '../kit/money.ts'
import type { Failure, PayerView, WalletChoice } from '../links/checkout.ts'
import type { Words } from './french.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
import { notice, order, problemList } from './parts.ts'
import { dialCodeOf, groupPhone, likelyCountry } from './phone.ts'
import type { Visit } from './visit.ts'

/** What the payer entered, as it was typed. */
export interface Entry {
  serviceCode: string
  country: string
  phone: string
}

export type EntryProblem = 'service' | 'unavailable' | 'phone_missing' | 'phone' | 'phone_country'

/** The first screen: how much, to whom, with which wallet and number. */
export function chooseScreen(
  visit: Visit,
  view: PayerView,
  entry: Entry = suggest(view),
  problems: EntryProblem[] = [],
): Screen {
  const { words } = visit
  const title = words.chooseTitle(formatAmount(view.amount), view.shop)
  const failure = view.state.kind === 'choose' ? view.state.lastFailure : null
  const listed = problems.map((one) => ({ field: fieldOf(view, one), text: words.problems[one] }))
  const isOpen = view.wallets.some((wallet) => wallet.isAvailable)
  return {
    title: problems.length > 0 ? `${words.problemsTitle} · ${title}` : title,
    kind: 'choose',
    body: html`${order(visit, view, true)}
<section class="panel">
${listed.length > 0 && problemList(visit, listed)}
${failure !== null && listed.length === 0 && lastFailure(words, failure, view.attemptsLeft)}
${isOpen ? form(visit, view, entry, problems) : noneAvailable(words)}
<form method="post" action="${visit.to('give-up')}"><button class="quiet">${words.giveUp}</button></form>
</section>`,
    ...(visit.isPosted ? { languageSwitch: switchWith(visit, entry) } : {}),
  }
}

/** The fields that carry an entry to the next screen; nothing of it is kept with us. */
export function carry({ serviceCode, country, phone }: Entry): Html {
  return html`<input type="hidden" name="serviceCode" value="${serviceCode}">
<input type="hidden" name="country" value="${country}"><input type="hidden" name="phone" value="${phone}">`
}

/** The other language without losing what was typed. */
export function switchWith(visit: Visit, entry: Entry): Html {
  const other = visit.language === 'fr' ? 'en' : 'fr'
  const [action] = visit.to('review').split('?')
  return html`<form method="post" action="${action}?lang=${other}">${carry(entry)}
<button name="edit" value="yes" lang="${other}">${visit.words.otherLanguage}</button></form>`
}

/** What is likely: the one wallet there is, and the country that the known number is from. */
function suggest({ wallets, customerPhone, state }: PayerView): Entry {
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

function fieldOf(view: PayerView, problem: EntryProblem): string {
  if (problem.startsWith('phone')) return 'phone'
  const open = view.wallets.findIndex((wallet) => wallet.isAvailable)
  return `wallet-${open}`
}

function lastFailure(words: Words, { cause, walletName }: Failure, left: number): Html {
  const title = html`<b>${words.failureTitle(walletName)}</b>`
  const what = `${words.failures[cause]} ${words.notDebited}`
  return notice(icons.info, 'bad', title, what, words.tryAgain(left))
}

function noneAvailable(words: Words): Html {
  return notice(icons.clock, 'calm', html`<b>${words.noneAvailable}</b>`, words.noneAvailableWhat)
}

function form(visit: Visit, view: PayerView, entry: Entry, problems: EntryProblem[]): Html {
  const { words } = visit
  const countries = [...new Set(view.wallets.map((wallet) => wallet.country))]
  const wrong = problems.find((one) => one === 'service' || one === 'unavailable')
  const described = wrong !== undefined && html` aria-describedby="wallet-error"`
  return html`<form method="post" action="${visit.to('review')}" novalidate>
<p class="step">${words.step(1)}</p>
${countries.length > 1 && countryChoice(words, countries, entry)}
<fieldset${described}><legend>${words.payWith}</legend>
${wrong !== undefined && html`<p class="wrong" id="wallet-error">${words.problems[wrong]}</p>`}
${countries.map((country) => walletGroup(words, view, country, entry, countries.length > 1))}
</fieldset>
${phoneField(words, countries, entry, problems)}
<button class="button">${words.next}</button>
</form>`
}

function countryChoice(words: Words, countries: string[], entry: Entry): Html {
  return html`<fieldset class="countries"><legend>${words.country}</legend><div>
${countries.map(
  (country) => html`<label><input type="radio" name="country" value="${country}"
${country === entry.country && ' checked'}><span>${words.countries[country] ?? country}</span></label>`,
)}</div></fieldset>`
}

/** Those of one country; with several, styles show the chosen one's where the browser can. */
function walletGroup(
  words: Words,
  view: PayerView,
  country: string,
  entry: Entry,
  isOneOfSeveral: boolean,
): Html {
  const cards = view.wallets.map(
    (wallet, index) => wallet.country === country && walletCard(words, wallet, index, entry),
  )
  return html`<div class="wallets" data-country="${isOneOfSeveral && country}">
${isOneOfSeveral && html`<p class="group">${words.countries[country] ?? country}</p>`}${cards}</div>`
}

function walletCard(words: Words, wallet: WalletChoice, index: number, entry: Entry): Html {
  const { serviceCode, name, step, isAvailable } = wallet
  const isChosen = isAvailable && serviceCode === entry.serviceCode
  return html`<label class="wallet"><input type="radio" name="serviceCode" id="wallet-${index}"
 value="${serviceCode}"${isChosen && ' checked'}${!isAvailable && ' disabled'}>
${monogram(name)}<span class="name"><b><bdi>${name}</bdi></b>
<small>${isAvailable ? words.steps[step] : words.down}</small></span><i></i></label>`
}

/** A letter on a colour of its own; trade marks are not ours to show. */
export function monogram(name: string): Html {
  const letter = [...name.trim()].at(-1)?.toUpperCase() ?? ''
  return html`<span class="mono c${(letter.codePointAt(0) ?? 0) % 7}" aria-hidden="true">${letter}</span>`
}

function phoneField(
  words: Words,
  countries: string[],
  entry: Entry,
  problems: EntryProblem[],
): Html {
  const wrong = problems.find((one) => one.startsWith('phone'))
  const hint = (countries.length === 1 && words.phoneHints[countries[0] ?? '']) || words.phoneHint
  const invalid = wrong !== undefined && html` aria-invalid="true" autofocus`
  const codes = countries.map(
    (country) =>
      html`<span data-country="${countries.length > 1 && country}">${dialCodeOf(country)}</span>`,
  )
  return html`<div class="field"><label for="phone">${words.phone}</label>
<p class="hint" id="phone-hint">${hint}</p>
${wrong !== undefined && html`<p class="wrong" id="phone-error">${words.problems[wrong]}</p>`}
<div class="box">${codes}<input id="phone" name="phone" type="tel" inputmode="numeric"
 autocomplete="tel-national" maxlength="30" value="${entry.phone}"
 aria-describedby="phone-hint${wrong !== undefined && ' phone-error'}"${invalid}></div></div>`
}
