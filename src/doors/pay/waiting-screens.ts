import { type Html, html } from '#base/kit/html.ts'
import { icons } from '#edge/pages/icons.ts'
import { drawQr } from '#edge/pages/qr.ts'
import { groupPhone } from '#merchants/catalog/phone.ts'
import type { AttemptView, PayerState, PayerView } from '#money/links/checkout.ts'
import {
  amountText,
  checkButton,
  headline,
  isolate,
  notice,
  problemList,
  stepIndicator,
} from './components.ts'
import { codeProblemOf } from './notes.ts'
import { orderScreen } from './order-screen.ts'
import type { Screen } from './page.ts'
import { webAddress } from './return-address.ts'
import type { Visit } from './visit.ts'

type Waiting = Extract<PayerState, { kind: 'waiting' }>

/** What the payer has to do in the wallet. */
export function waitingScreen(visit: Visit, view: PayerView, state: Waiting): Screen {
  if (state.step === 'sending') return sendingScreen(visit, view, state.attempt)
  if (state.step === 'push') return pushScreen(visit, view, state.attempt)
  if (state.step === 'redirect') return redirectScreen(visit, view, state.attempt, state.url)
  return codeScreen(visit, view, state)
}

/** The outcome is unknown: asks the payer to wait and not to pay again. */
export function checkingScreen(visit: Visit, view: PayerView, attempt: AttemptView): Screen {
  const { texts } = visit
  return orderScreen(visit, view, 'checking', texts.checkingTitle, [
    headline(icons.clock, 'calm', texts.checkingTitle),
    notice(
      icons.info,
      'calm',
      html`<b>${texts.dontPayTwice}</b>`,
      texts.checkingWhat(attempt.walletName),
    ),
    html`<p>${texts.checkingLeave}</p>`,
    checkButton(visit),
  ])
}

function sendingScreen(visit: Visit, view: PayerView, { walletName }: AttemptView): Screen {
  const { texts } = visit
  return orderScreen(visit, view, 'preparing', texts.sendingTitle(walletName), [
    stepIndicator(texts, 3),
    headline(
      icons.clock,
      'calm',
      texts.sendingTitle(walletName),
      texts.sendingWhat(walletName),
      texts.comeBack,
    ),
    checkButton(visit),
  ])
}

function pushScreen(visit: Visit, view: PayerView, attempt: AttemptView): Screen {
  const { texts } = visit
  const { walletName, phone, country } = attempt
  const amount = amountText(attempt.amount)
  const steps = texts.pushSteps(walletName, amount, groupPhone(phone, country))
  const tips = texts.nothingCameTips(walletName)
  return orderScreen(visit, view, 'push', texts.pushTitle, [
    stepIndicator(texts, 3),
    headline(icons.phone, 'wait', texts.pushTitle),
    html`<ol class="steps">${steps.map((one) => html`<li>${one}</li>`)}
<li>${texts.comeBack}</li></ol>`,
    html`<figure class="prompt"><figcaption>${texts.example}</figcaption>
<div aria-hidden="true"><b>${walletName}</b>
<p>${texts.promptAsk(amount, isolate(view.shop))}</p><p>${texts.promptPin} • • • •</p>
<p class="keys"><span>${texts.promptNo}</span><span>${texts.promptYes}</span></p></div></figure>`,
    checkButton(visit),
    html`<details><summary>${texts.nothingCame}</summary>
<ul>${tips.map((one) => html`<li>${one}</li>`)}</ul></details>`,
  ])
}

function redirectScreen(
  visit: Visit,
  view: PayerView,
  { walletName, amount }: AttemptView,
  url: string | null,
): Screen {
  const { texts } = visit
  const address = url === null ? null : webAddress(url)
  const title = texts.redirectTitle(walletName)
  if (address === null)
    return orderScreen(visit, view, 'preparing', title, [
      stepIndicator(texts, 3),
      headline(icons.clock, 'calm', texts.redirectSoon(walletName), texts.redirectSoonWhat),
      checkButton(visit),
      otherWallet(visit),
    ])
  return orderScreen(visit, view, 'redirect', title, [
    stepIndicator(texts, 3),
    headline(icons.out, 'calm', title, texts.redirectWhat(amountText(amount)), texts.comeBack),
    html`<a class="button" href="${address.href}" rel="noopener noreferrer">${icons.out}
${texts.redirectOpen(walletName)}</a>`,
    !visit.isPhone && qr(visit, address.href),
    checkButton(visit),
    otherWallet(visit),
  ])
}

function qr({ texts }: Visit, address: string): Html | false {
  const drawn = drawQr(address)
  return (
    drawn !== undefined &&
    html`<div class="qr">${drawn}<p><b>${texts.qrTitle}</b><br>${texts.qrWhat}</p></div>`
  )
}

function codeScreen(
  visit: Visit,
  view: PayerView,
  { attempt, triesLeft }: Extract<Waiting, { step: 'otp' }>,
): Screen {
  const { texts } = visit
  const problem = codeProblemOf(visit.note)
  const { walletName, phone, country } = attempt
  if (triesLeft <= 0) return spentScreen(visit, view)
  const wrong = problem === undefined ? undefined : texts.problems[problem]
  const isWrong = wrong !== undefined
  const shown = orderScreen(visit, view, 'otp', texts.otpTitle, [
    isWrong && problemList(visit, [{ field: 'code', text: wrong }]),
    stepIndicator(texts, 3),
    headline(
      icons.code,
      'calm',
      texts.otpTitle,
      texts.otpWhat(walletName, groupPhone(phone, country)),
    ),
    codeForm(visit, triesLeft, wrong),
    view.attemptsLeft > 0 && newCode(visit, view, problem === 'code_expired'),
    otherWallet(visit),
  ])
  return isWrong ? { ...shown, title: `${texts.problemsTitle} · ${shown.title}` } : shown
}

/** No code is accepted any more: there is no field for one. */
function spentScreen(visit: Visit, view: PayerView): Screen {
  const { texts } = visit
  return orderScreen(visit, view, 'otp', texts.otpSpentTitle, [
    stepIndicator(texts, 3),
    headline(icons.clock, 'calm', texts.otpSpentTitle, texts.otpSpentWhat),
    view.attemptsLeft > 0 && newCode(visit, view, true),
    otherWallet(visit),
  ])
}

function codeForm(visit: Visit, triesLeft: number, wrong: string | undefined): Html {
  const { texts } = visit
  const isWrong = wrong !== undefined
  return html`<form method="post" action="${visit.hrefOf('code')}" novalidate><div class="field">
<label for="code">${texts.otpLabel}</label>
<p class="hint" id="code-hint">${texts.otpTries(triesLeft)}</p>
${isWrong && html`<p class="wrong" id="code-error">${wrong}</p>`}
<div class="box code"><input id="code" name="code" inputmode="numeric" required
 autocomplete="one-time-code" maxlength="20" autofocus
 aria-describedby="code-hint${isWrong && ' code-error'}"${isWrong && html` aria-invalid="true"`}>
</div></div>
<button class="button">${texts.otpSend}</button></form>`
}

/** A new code is a new payment; the number of tries left makes a second click harmless. */
function newCode({ texts, hrefOf }: Visit, { attemptsLeft }: PayerView, isShown: boolean): Html {
  return html`<details${isShown && ' open'}><summary>${texts.noCode}</summary>
<p>${texts.newCodeWhat(attemptsLeft)}</p>
<form method="post" action="${hrefOf('new-code')}">
<input type="hidden" name="triesLeft" value="${attemptsLeft}">
<button class="second">${texts.newCode}</button></form></details>`
}

function otherWallet({ texts, hrefOf }: Visit): Html {
  return html`<form method="post" action="${hrefOf('other-wallet')}">
<button class="quiet">${texts.otherWallet}</button></form>`
}
