import { type Html, html } from '#base/kit/html.ts'
import { icons } from '#edge/pages/icons.ts'
import { countryName } from '#merchants/catalog/countries.ts'
import { dialCodeOf, type PhoneProblem } from '#merchants/catalog/phone.ts'
import type { Failure, PayerView } from '#money/links/checkout.ts'
import {
  amountText,
  causeText,
  checkButton,
  notice,
  orderSummary,
  problemList,
  stepIndicator,
  timeElement,
} from './components.ts'
import { countriesOf, suggestEntry } from './entry.ts'
import type { PageTexts } from './french.ts'
import { type Entry, phoneProblemOf } from './notes.ts'
import type { Screen } from './page.ts'
import type { Visit } from './visit.ts'

/** The first screen: the order, and a form for the number. */
export function chooseScreen(visit: Visit, view: PayerView): Screen {
  const { texts, note } = visit
  const { entry = suggestEntry(view) } = note
  const problem = phoneProblemOf(note)
  const title = texts.chooseTitle(amountText(view.amount))
  const failure = view.state.kind === 'choose' ? view.state.lastFailure : null
  const isWrong = problem !== undefined
  const isOpen = view.wallets.some((wallet) => wallet.isAvailable)
  // A notice above the form takes the place of details: the button stays on the first screen.
  const hasNotice = isWrong || failure !== null
  return {
    title: isWrong ? `${texts.problemsTitle} · ${title}` : title,
    kind: isOpen ? 'choose' : 'closed',
    body: html`${orderSummary(visit, view, { isTitle: true, isBrief: hasNotice })}
<section class="panel">
${isOpen && !hasNotice && stepIndicator(texts, 1)}
${isWrong && problemList(visit, [{ field: fieldOf(problem), text: texts.problems[problem] }])}
${failure !== null && !isWrong && failureNotice(texts, view, failure)}
${isOpen ? form(visit, view, entry, problem) : noneAvailable(visit, view)}
<a class="quiet" href="${visit.hrefOf('give-up')}">${texts.giveUp}</a>
</section>`,
  }
}

function fieldOf(problem: PhoneProblem): 'country' | 'phone' {
  return problem === 'country' ? 'country' : 'phone'
}

function failureNotice(texts: PageTexts, view: PayerView, failure: Failure): Html {
  const title = html`<b>${texts.failureTitle(failure.walletName)}</b>`
  const safe = html`<strong>${texts.notDebited}</strong>`
  const cause = html`${causeText(texts, view, failure)} ${safe}`
  return notice(icons.info, 'bad', title, cause, texts.tryAgain(view.attemptsLeft))
}

function noneAvailable(visit: Visit, { maintenance }: PayerView): Html {
  const { texts, language } = visit
  const isClosed = maintenance !== null
  const title = html`<b>${isClosed ? texts.maintenance : texts.noneAvailable}</b>`
  const what = isClosed ? texts.maintenanceWhat : texts.noneAvailableWhat
  const { notice: told = null, until = null } = maintenance ?? {}
  const more = [
    ...(told === null ? [] : [html`<bdi>${told}</bdi>`]),
    ...(until === null ? [] : [html`${texts.maintenanceUntil} ${timeElement(until, language)}`]),
  ]
  return html`${notice(icons.clock, 'calm', title, ...more, what)}
${checkButton(visit, texts.retry)}`
}

function form(visit: Visit, view: PayerView, entry: Entry, problem?: PhoneProblem): Html {
  const { texts } = visit
  const names = [...new Set(view.wallets.map((wallet) => wallet.name))]
  const listed = names.map((name, index) => [index > 0 && '\u00a0· ', html`<bdi>${name}</bdi>`])
  return html`<form method="post" action="${visit.hrefOf('review')}" novalidate>
${phoneField(visit, countriesOf(view), entry, problem)}
<button class="button">${texts.next}</button>
</form>
<p class="hint">${texts.accepted} ${listed}</p>`
}

function phoneField(
  visit: Visit,
  countries: string[],
  entry: Entry,
  problem: PhoneProblem | undefined,
): Html {
  const { texts } = visit
  const [first = '', another] = countries
  const isOneCountry = another === undefined
  const hint = isOneCountry ? (texts.phoneHints[first] ?? texts.phoneHint) : texts.phoneHint
  const isWrong = problem !== undefined
  const wrongState = html` aria-invalid="true" autofocus`
  const isPhoneWrong = isWrong && fieldOf(problem) === 'phone'
  return html`<div class="field"><label for="phone">${texts.phone}</label>
<p class="hint" id="phone-hint">${hint}</p>
${isWrong && html`<p class="wrong" id="phone-error">${texts.problems[problem]}</p>`}
<div class="box">${
    isOneCountry
      ? html`<span>${dialCodeOf(first)}</span>`
      : countryChoice(visit, countries, entry, isWrong && !isPhoneWrong && wrongState)
  }<input id="phone" name="phone" type="tel" inputmode="tel" required
 autocomplete="tel" maxlength="30" value="${entry.phone}"
 aria-describedby="phone-hint${isWrong && ' phone-error'}"${isPhoneWrong && wrongState}>
</div></div>`
}

/** Left alone, what the number looks like counts more. */
function countryChoice(
  { texts, language }: Visit,
  countries: string[],
  entry: Entry,
  state: Html | false,
): Html {
  const choices = countries.map((country) => {
    const isChosen = country === entry.country && ' selected'
    const name = countryName(language, country)
    return html`<option value="${country}"${isChosen}>${dialCodeOf(country)} ${name}</option>`
  })
  return html`<select id="country" name="country" aria-label="${texts.country}"${state}>
${choices}</select>`
}
