import type { FastifyReply, FastifyRequest } from 'fastify'
import { formField } from '#edge/pages/form-body.ts'
import { oneTimeCodePattern } from '#edge/wire/patterns.ts'
import type { Checkout, ConfirmResult, PayerView } from '#money/links/checkout.ts'
import { readNumber } from './entry.ts'
import { type CodeProblem, type Entry, type Note, walletProblems } from './notes.ts'
import type { Action, Visit } from './visit.ts'

interface Submission {
  request: FastifyRequest
  reply: FastifyReply
  visit: Visit
  view: PayerView
}

type Answer = Promise<FastifyReply>

const oneTimeCode = new RegExp(oneTimeCodePattern)

/**
 * The handler of each form. Each answers 303 See Other, so that what is shown has an address of its
 * own, which can be reloaded and gone back to and does nothing.
 */
export function formActions(
  checkout: Checkout,
): Record<Action, (submission: Submission) => Answer> {
  async function pay(submission: Submission): Answer {
    const { request, view } = submission
    // The page shows a payment that is already in progress, whatever the form contains.
    if (view.state.kind !== 'choose') return showPage(submission)
    const entry = readEntry(request)
    const reading = readNumber(view, entry)
    if (reading.kind === 'problem') return showPage(submission, { entry, problem: reading.problem })
    const { phone, country } = reading
    const chosen = view.wallets.find(({ serviceCode }) => serviceCode === entry.serviceCode)
    const wallet = chosen?.country === country ? chosen : undefined
    if (!wallet?.isAvailable)
      return showReview(submission, {
        entry,
        problem: wallet === undefined ? 'service' : 'unavailable',
      })
    const result = await checkout.pay(view.id, { serviceCode: wallet.serviceCode, phone })
    if (result.kind === 'started' || result.problems.includes('not_open'))
      return showPage(submission)
    if (result.problems.includes('phone')) return showPage(submission, { entry, problem: 'phone' })
    const shown = walletProblems.find((one) => result.problems.includes(one)) ?? 'service'
    return showReview(submission, { entry, problem: shown })
  }

  async function code(submission: Submission): Answer {
    const { request, view } = submission
    const given = formField(request, 'code').replaceAll(/[\s-]/g, '')
    if (!oneTimeCode.test(given)) return showPage(submission, { problem: 'code' })
    const problem = codeProblems[await checkout.confirm(view.id, given)]
    return showPage(submission, problem === null ? {} : { problem })
  }

  async function newCode(submission: Submission): Answer {
    const { request, view } = submission
    if (view.state.kind !== 'waiting' || view.state.step !== 'otp') return showPage(submission)
    const triesLeft = Number(formField(request, 'triesLeft') || Number.NaN)
    const result = await checkout.newCode(view.id, triesLeft)
    if (result === 'unavailable') return showPage(submission, { problem: 'code_unavailable' })
    return showPage(submission, result === 'started' ? {} : { remark: 'too_late' })
  }

  async function otherWallet(submission: Submission): Answer {
    if (submission.view.state.kind !== 'waiting') return showPage(submission)
    const result = await checkout.changeWallet(submission.view.id)
    return showPage(submission, result === 'changed' ? {} : { remark: 'too_late' })
  }

  async function giveUp(submission: Submission): Answer {
    const { request, reply, visit, view } = submission
    if (view.state.kind !== 'choose') return showPage(submission)
    if (formField(request, 'sure') !== 'yes') return reply.redirect(visit.hrefOf('give-up'), 303)
    const result = await checkout.giveUp(view.id)
    return showPage(submission, result === 'given_up' ? {} : { remark: 'too_late' })
  }

  return { review, pay, code, 'new-code': newCode, 'other-wallet': otherWallet, 'give-up': giveUp }
}

/** Leads to the number for confirmation with the wallets, or back to what is wrong with it. */
async function review(submission: Submission): Answer {
  const { request, view } = submission
  if (view.state.kind !== 'choose') return showPage(submission)
  const entry = readEntry(request)
  const reading = readNumber(view, entry)
  return reading.kind === 'problem'
    ? showPage(submission, { entry, problem: reading.problem })
    : showReview(submission, { entry })
}

const codeProblems: Record<ConfirmResult, CodeProblem | null> = {
  accepted: null,
  wrong_code: 'wrong_code',
  expired: 'code_expired',
  not_waiting: null,
  unavailable: 'code_unavailable',
}

/** The page, which shows the present state; who has sent a form is its payer. */
async function showPage({ reply, visit }: Submission, note: Note = {}): Answer {
  return reply.redirect(visit.hrefOf(undefined, { isPayer: true, note }), 303)
}

async function showReview({ reply, visit }: Submission, note: Note): Answer {
  return reply.redirect(visit.hrefOf('review', { note }), 303)
}

function readEntry(request: FastifyRequest): Entry {
  return {
    serviceCode: formField(request, 'serviceCode').slice(0, 40),
    country: formField(request, 'country').slice(0, 2),
    phone: formField(request, 'phone').slice(0, 30),
  }
}
