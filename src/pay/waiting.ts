import type { Html, Piece } from '../kit/html.ts'
import { html } from '../kit/html.ts'
import type { AttemptView, PayerState, PayerView } from '../links/checkout.ts'
import { icons } from './icons.ts'
import type { Screen } from './page.ts'
import { checkButton, headline, isolate, money, notice, order, problemList, step } from './parts.ts'
import { groupPhone } from './phone.ts'
import { drawQr } from './qr.ts'
import { webAddress } from './return-address.ts'
import type { Visit } from './visit.ts'

type Waiting = Extract<PayerState, { kind: 'waiting' }>
export type CodeProblem = 'code' | 'wrong_code' | 'code_expired' | 'code_unavailable'

/** While the payer has to act in the wallet; a problem is one of a code that was sent. */
export function waitingScreen(
  visit: Visit,
  view: PayerView,
  state: Waiting,
  problem?: CodeProblem,
): Screen {
  if (state.step === 'push') return pushScreen(visit, view, state.attempt)
  if (state.step === 'redirect') return redirectScreen(visit, view, state.attempt, state.url)
  return codeScreen(visit, view, state, problem)
}

/** While nobody knows the outcome. */
export function checkingScreen(visit: Visit, view: PayerView, attempt: AttemptView): Screen {
  const { words } = visit
  return screen(visit, view, 'checking', words.checkingTitle, [
    headline(icons.clock, 'calm', words.checkingTitle),
    notice(
      icons.info,
      'calm',
      html`<b>${words.dontPayTwice}</b>`,
      words.checkingWhat(attempt.walletName),
    ),
    html`<p>${words.checkingLeave}</p>`,
    checkButton(visit),
  ])
}

function pushScreen(visit: Visit, view: PayerView, attempt: AttemptView): Screen {
  const { words } = visit
  const { walletName, phone, country } = attempt
  const amount = money(attempt.amount)
  const steps = words.pushSteps(walletName, amount, groupPhone(phone, country))
  const tips = words.nothingCameTips(walletName)
  return screen(visit, view, 'push', words.pushTitle, [
    step(words, 3),
    headline(icons.phone, 'wait', words.pushTitle),
    html`<ol class="steps">${steps.map((one) => html`<li>${one}</li>`)}</ol>`,
    html`<figure class="prompt"><div aria-hidden="true"><b>${walletName}</b>
<p>${words.promptAsk(amount, isolate(view.shop))}</p><p>${words.promptPin} <span>• • • •</span></p>
<p class="keys"><span>${words.promptNo}</span><span>${words.promptYes}</span></p></div>
<figcaption>${words.example}</figcaption></figure>`,
    checkButton(visit),
    html`<details><summary>${words.nothingCame}</summary>
<ul>${tips.map((one) => html`<li>${one}</li>`)}</ul></details>`,
  ])
}

function redirectScreen(
  visit: Visit,
  view: PayerView,
  { walletName, amount }: AttemptView,
  url: string | null,
): Screen {
  const { words } = visit
  const address = url === null ? null : webAddress(url)
  const title = words.redirectTitle(walletName)
  if (address === null)
    return screen(visit, view, 'preparing', title, [
      step(words, 3),
      headline(icons.clock, 'calm', words.redirectSoon(walletName), words.redirectSoonWhat),
      checkButton(visit),
      otherWallet(visit),
    ])
  return screen(visit, view, 'redirect', title, [
    step(words, 3),
    headline(icons.out, 'calm', title, words.redirectWhat(money(amount))),
    html`<a class="button" href="${address.href}" rel="noopener noreferrer">${icons.out}
${words.redirectOpen(walletName)}</a>`,
    !visit.isPhone && qr(visit, address.href),
    checkButton(visit),
    otherWallet(visit),
  ])
}

function qr({ words }: Visit, address: string): Html | false {
  const drawn = drawQr(address)
  return (
    drawn !== undefined &&
    html`<div class="qr">${drawn}<p><b>${words.qrTitle}</b><br>${words.qrWhat}</p></div>`
  )
}

function codeScreen(
  visit: Visit,
  view: PayerView,
  { attempt, triesLeft }: Extract<Waiting, { step: 'otp' }>,
  problem?: CodeProblem,
): Screen {
  const { words } = visit
  const { walletName, phone, country } = attempt
  const wrong = problem === undefined ? undefined : words.problems[problem]
  const isWrong = wrong !== undefined
  const shown = screen(visit, view, 'otp', words.otpTitle, [
    isWrong && problemList(visit, [{ field: 'code', text: wrong }]),
    step(words, 3),
    headline(
      icons.code,
      'calm',
      words.otpTitle,
      words.otpWhat(walletName, groupPhone(phone, country)),
    ),
    html`<form method="post" action="${visit.to('code')}" novalidate><div class="field">
<label for="code">${words.otpLabel}</label>
<p class="hint" id="code-hint">${words.otpTries(triesLeft)}</p>
${isWrong && html`<p class="wrong" id="code-error">${wrong}</p>`}
<div class="box code"><input id="code" name="code" inputmode="numeric" required
 autocomplete="one-time-code" maxlength="20" autofocus
 aria-describedby="code-hint${isWrong && ' code-error'}"${isWrong && html` aria-invalid="true"`}>
</div></div>
<button class="button">${words.otpSend}</button></form>`,
    otherWallet(visit),
  ])
  return isWrong ? { ...shown, title: `${words.problemsTitle} · ${shown.title}` } : shown
}

function otherWallet({ words, to }: Visit): Html {
  return html`<form method="post" action="${to('other-wallet')}">
<button class="quiet">${words.otherWallet}</button></form>`
}

function screen(
  visit: Visit,
  view: PayerView,
  kind: string,
  title: string,
  pieces: Piece[],
): Screen {
  return {
    title,
    kind,
    body: html`${order(visit, view, false)}<section class="panel">${pieces}</section>`,
  }
}
