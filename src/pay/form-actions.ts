import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PhoneProblem } from '../catalog/phone.ts'
import { readPhone } from '../catalog/phone.ts'
import type { Checkout, ConfirmResult, PayerView } from '../links/checkout.ts'
import { limitProblems } from '../links/checkout.ts'
import { formField } from '../pages/form-body.ts'
import { oneTimeCodePattern } from '../wire/patterns.ts'
import { chooseScreen } from './choose-screen.ts'
import type { Entry, WalletProblem } from './entry.ts'
import { countriesOf } from './entry.ts'
import { giveUpScreen, reviewScreen } from './review-screens.ts'
import { screenOf } from './screen-of-state.ts'
import { sendScreen } from './send-screen.ts'
import type { Action, Visit } from './visit.ts'
import type { CodeProblem } from './waiting-screens.ts'
import { waitingScreen } from './waiting-screens.ts'

interface Submission {
  request: FastifyRequest
  reply: FastifyReply
  visit: Visit
  view: PayerView
}

type Answer = Promise<FastifyReply>

const oneTimeCode = new RegExp(oneTimeCodePattern)

const walletProblems = ['unavailable', ...limitProblems] as const

/** The handler of each form. It redirects to the page, which shows the state, or sends a screen. */
export function formActions(
  checkout: Checkout,
): Record<Action, (submission: Submission) => Answer> {
  async function pay(submission: Submission): Answer {
    const { request, view } = submission
    // The page shows a payment that is already in progress, whatever the form contains.
    if (view.state.kind !== 'choose') return redirectToPage(submission)
    const entry = readEntry(request)
    const reading = readNumber(view, entry)
    if (reading.kind === 'problem') return showNumberAgain(submission, entry, reading.problem)
    const { phone, country } = reading
    const chosen = view.wallets.find(({ serviceCode }) => serviceCode === entry.serviceCode)
    const wallet = chosen?.country === country ? chosen : undefined
    if (!wallet?.isAvailable)
      return showWalletsAgain(submission, entry, wallet === undefined ? 'service' : 'unavailable')
    const result = await checkout.pay(view.id, { serviceCode: wallet.serviceCode, phone })
    if (result.kind === 'started' || result.problems.includes('not_open'))
      return redirectToPage(submission)
    if (result.problems.includes('phone')) return showNumberAgain(submission, entry, 'phone')
    const shown = walletProblems.find((one) => result.problems.includes(one)) ?? 'service'
    return showWalletsAgain(submission, entry, shown)
  }

  async function code(submission: Submission): Answer {
    const { request, view } = submission
    const given = formField(request, 'code').replaceAll(/[\s-]/g, '')
    if (!oneTimeCode.test(given)) return showCodeAgain(submission, view, 'code')
    const problem = codeProblems[await checkout.confirm(view.id, given)]
    const now = problem === null ? undefined : await checkout.look(view.id)
    return problem === null || now === undefined
      ? redirectToPage(submission)
      : showCodeAgain(submission, now, problem)
  }

  async function newCode(submission: Submission): Answer {
    const { request, view } = submission
    if (view.state.kind !== 'waiting' || view.state.step !== 'otp')
      return redirectToPage(submission)
    const triesLeft = Number(formField(request, 'triesLeft') || Number.NaN)
    const result = await checkout.newCode(view.id, triesLeft)
    if (result === 'unavailable') return showCodeAgain(submission, view, 'code_unavailable')
    return result === 'started' ? redirectToPage(submission) : showTooLate(submission)
  }

  async function otherWallet(submission: Submission): Answer {
    if (submission.view.state.kind !== 'waiting') return redirectToPage(submission)
    const result = await checkout.changeWallet(submission.view.id)
    return result === 'changed' ? redirectToPage(submission) : showTooLate(submission)
  }

  async function giveUp(submission: Submission): Answer {
    const { request, reply, visit, view } = submission
    if (view.state.kind !== 'choose') return redirectToPage(submission)
    if (formField(request, 'sure') !== 'yes')
      return sendScreen(request, reply, visit, giveUpScreen(visit, view), view)
    const result = await checkout.giveUp(view.id)
    return result === 'given_up' ? redirectToPage(submission) : showTooLate(submission)
  }

  /** The payment moved on in the meantime: shows the present state and why nothing was changed. */
  async function showTooLate(submission: Submission): Answer {
    const { request, reply, visit } = submission
    const view = await checkout.look(submission.view.id)
    if (view === undefined) return redirectToPage(submission)
    const shown = { ...screenOf(visit, view), remark: visit.texts.tooLate }
    return sendScreen(request, reply.code(409), visit, shown, view)
  }

  return { review, pay, code, 'new-code': newCode, 'other-wallet': otherWallet, 'give-up': giveUp }
}

/** Shows the number for confirmation with the wallets, or the first screen with what is wrong. */
async function review(submission: Submission): Answer {
  const { request, reply, visit, view } = submission
  if (view.state.kind !== 'choose') return redirectToPage(submission)
  const entry = readEntry(request)
  if (formField(request, 'edit') !== '')
    return sendScreen(request, reply, visit, chooseScreen(visit, view, entry), view)
  const reading = readNumber(view, entry)
  if (reading.kind === 'problem') return showNumberAgain(submission, entry, reading.problem)
  return sendScreen(request, reply, visit, reviewScreen(visit, view, entry, reading), view)
}

const codeProblems: Record<ConfirmResult, CodeProblem | null> = {
  accepted: null,
  wrong_code: 'wrong_code',
  expired: 'code_expired',
  not_waiting: null,
  unavailable: 'code_unavailable',
}

async function showCodeAgain(
  submission: Submission,
  view: PayerView,
  problem: CodeProblem,
): Answer {
  const { request, reply, visit } = submission
  const { state } = view
  if (state.kind !== 'waiting' || state.step !== 'otp') return redirectToPage(submission)
  const shown = waitingScreen(visit, view, state, problem)
  return sendScreen(request, reply.code(422), visit, shown, view)
}

/** The first screen again, with the input and what is wrong with the number. */
async function showNumberAgain(
  { request, reply, visit, view }: Submission,
  entry: Entry,
  problem: PhoneProblem,
): Answer {
  const shown = chooseScreen(visit, view, entry, problem)
  return sendScreen(request, reply.code(422), visit, shown, view)
}

/** The second screen again: no wallet was chosen, or one that cannot be used. */
async function showWalletsAgain(
  submission: Submission,
  entry: Entry,
  problem: WalletProblem,
): Answer {
  const { request, reply, visit, view } = submission
  const reading = readNumber(view, entry)
  if (reading.kind === 'problem') return showNumberAgain(submission, entry, reading.problem)
  const shown = reviewScreen(visit, view, entry, reading, problem)
  return sendScreen(request, reply.code(422), visit, shown, view)
}

/** 303 See Other, so that a reload requests the page and does not send the form again. */
async function redirectToPage({ reply, visit }: Submission): Answer {
  return reply.redirect(visit.hrefOf(), 303)
}

function readEntry(request: FastifyRequest): Entry {
  return {
    serviceCode: formField(request, 'serviceCode'),
    country: formField(request, 'country'),
    phone: formField(request, 'phone').slice(0, 30),
  }
}

function readNumber(view: PayerView, { country, phone }: Entry) {
  return readPhone(phone, countriesOf(view), country)
}
