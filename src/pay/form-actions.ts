import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Checkout, ConfirmResult, PayerView } from '../links/checkout.ts'
import type { Entry, EntryProblem } from './choose-screen.ts'
import { chooseScreen } from './choose-screen.ts'
import { formField } from './form-body.ts'
import { readPhone } from './phone.ts'
import { giveUpScreen, reviewScreen } from './review-screens.ts'
import { screenOf } from './screen-of-state.ts'
import { sendScreen } from './send-screen.ts'
import type { Action, Visit } from './visit.ts'
import type { CodeProblem } from './waiting-screens.ts'
import { waitingScreen } from './waiting-screens.ts'

interface Sent {
  request: FastifyRequest
  reply: FastifyReply
  visit: Visit
  view: PayerView
}

type Answer = Promise<FastifyReply>

/** What each form does. All of them end on the page, which then tells the state by itself. */
export function formActions(checkout: Checkout): Record<Action, (sent: Sent) => Answer> {
  async function pay(sent: Sent): Answer {
    const { request, view } = sent
    // One that is under way already is told of, whatever was sent now.
    if (view.state.kind !== 'choose') return toPage(sent)
    const entry = readEntry(request)
    const { phone, problems } = check(view, entry)
    if (problems.length > 0) return again(sent, entry, problems)
    const result = await checkout.pay(view.id, { serviceCode: entry.serviceCode, phone })
    if (result.kind === 'started' || result.problems.includes('not_open')) return toPage(sent)
    return again(
      sent,
      entry,
      result.problems.filter((one) => one !== 'not_open'),
    )
  }

  async function code(sent: Sent): Answer {
    const { request, view } = sent
    const given = formField(request, 'code').replaceAll(/[\s-]/g, '')
    if (!/^[0-9]{4,8}$/.test(given)) return askCode(sent, view, 'code')
    const problem = codeProblems[await checkout.confirm(view.id, given)]
    const now = problem === null ? undefined : await checkout.look(view.id)
    return problem === null || now === undefined ? toPage(sent) : askCode(sent, now, problem)
  }

  async function otherWallet(sent: Sent): Answer {
    if (sent.view.state.kind !== 'waiting') return toPage(sent)
    const result = await checkout.changeWallet(sent.view.id)
    return result === 'changed' ? toPage(sent) : tellTooLate(sent)
  }

  async function giveUp(sent: Sent): Answer {
    const { request, reply, visit, view } = sent
    if (view.state.kind !== 'choose') return toPage(sent)
    if (formField(request, 'sure') !== 'yes')
      return sendScreen(request, reply, visit, giveUpScreen(visit, view), view)
    const result = await checkout.giveUp(view.id)
    return result === 'given_up' ? toPage(sent) : tellTooLate(sent)
  }

  /** The payment went on meanwhile: the page as it is now, and why nothing was changed. */
  async function tellTooLate(sent: Sent): Answer {
    const { request, reply, visit } = sent
    const view = await checkout.look(sent.view.id)
    if (view === undefined) return toPage(sent)
    const shown = { ...screenOf(visit, view), remark: visit.texts.tooLate }
    return sendScreen(request, reply.code(409), visit, shown, view)
  }

  return { review, pay, code, 'other-wallet': otherWallet, 'give-up': giveUp }
}

/** Echoes the number before anything is asked of it, or says what is wrong. */
async function review(sent: Sent): Answer {
  const { request, reply, visit, view } = sent
  if (view.state.kind !== 'choose') return toPage(sent)
  const entry = readEntry(request)
  if (formField(request, 'edit') !== '')
    return sendScreen(request, reply, visit, chooseScreen(visit, view, entry), view)
  const { wallet, phone, problems } = check(view, entry)
  if (wallet === undefined || problems.length > 0) return again(sent, entry, problems)
  const shown = reviewScreen(visit, view, wallet, { ...entry, phone })
  return sendScreen(request, reply, visit, shown, view)
}

const codeProblems: Record<ConfirmResult, CodeProblem | null> = {
  accepted: null,
  wrong_code: 'wrong_code',
  expired: 'code_expired',
  not_waiting: null,
  unavailable: 'code_unavailable',
}

async function askCode(sent: Sent, view: PayerView, problem: CodeProblem): Answer {
  const { request, reply, visit } = sent
  const { state } = view
  if (state.kind !== 'waiting' || state.step !== 'otp') return toPage(sent)
  const shown = waitingScreen(visit, view, state, problem)
  return sendScreen(request, reply.code(422), visit, shown, view)
}

/** The first screen again, with what was typed and what is wrong with it. */
async function again(sent: Sent, entry: Entry, problems: EntryProblem[]): Answer {
  const { request, reply, visit, view } = sent
  const shown = chooseScreen(visit, view, entry, problems)
  return sendScreen(request, reply.code(422), visit, shown, view)
}

/** See other: a reload then asks for the page and sends no form again. */
async function toPage({ reply, visit }: Sent): Answer {
  return reply.redirect(visit.to(), 303)
}

function readEntry(request: FastifyRequest): Entry {
  return {
    serviceCode: formField(request, 'serviceCode'),
    country: formField(request, 'country'),
    phone: formField(request, 'phone').slice(0, 30),
  }
}

function check(view: PayerView, { serviceCode, country, phone }: Entry) {
  const wallet = view.wallets.find((one) => one.serviceCode === serviceCode)
  const reading = readPhone(phone, wallet?.country ?? (country || view.wallets[0]?.country) ?? '')
  const problems: EntryProblem[] = []
  if (wallet === undefined) problems.push('service')
  else if (!wallet.isAvailable) problems.push('unavailable')
  if (reading.kind === 'problem') problems.push(reading.problem)
  return { wallet, phone: reading.kind === 'phone' ? reading.phone : '', problems }
}
