import type { Answer, Body, Call, Protocol } from './http.ts'
import { amountOf, isPhone, isWebAddress, object, text } from './http.ts'
import type { Books, Claim, Order, Wish } from './orders.ts'
import { amountShown, answerWhenDue, findByReference, placeOrder } from './orders.ts'
import type { Invoice } from './otp-invoices.ts'
import {
  callback,
  findInvoice,
  invalid,
  openInvoice,
  reasonWords,
  unknownToken,
} from './otp-invoices.ts'
import { otpPayouts } from './otp-payouts.ts'
import { hurry, isHeld, letGo, play } from './play.ts'
import type { Script, Step } from './scenarios.ts'
import { onceThePayerActs, takesTime } from './scenarios.ts'

/** The one-time code that is right; any other is wrong. */
const rightCode = '123456'

/** Invoices that the customer pays with a one-time code, and payouts in two calls. */
export function otpConfirm(books: Books, url: () => string): Protocol {
  const invoices = new Map<string, Invoice>()
  return {
    malformed: invalid('The body is not JSON'),
    routes: {
      'POST /checkout-invoice/create': (call) => createInvoice(invoices, url(), call),
      'GET /checkout-invoice/confirm/:token': (call) => {
        const invoice = findInvoice(invoices, call.mount, call.params[0])
        return invoice ? { status: 200, body: describe(books, invoice) } : unknownToken
      },
      'POST /softpay/confirm': (call) => confirm(books, call),
      'POST /softpay/:wallet': (call) => {
        const invoice = findInvoice(invoices, call.mount, call.body.invoice_token)
        return invoice ? prompt(books, call, invoice) : failure('Unknown invoice', 404)
      },
      ...otpPayouts(books),
    },
  }
}

function createInvoice(invoices: Map<string, Invoice>, url: string, call: Call): Answer {
  const { mount, body } = call
  const amount = amountOf(object(body.invoice).total_amount)
  const callbackUrl = text(object(body.actions).callback_url)
  if (amount === undefined) return invalid('invoice.total_amount: whole francs')
  if (callbackUrl !== '' && !isWebAddress(callbackUrl)) return invalid('actions.callback_url')
  const customData = object(body.custom_data)
  const reference = text(customData.reference)
  const invoice = openInvoice({ mount, amount, callbackUrl, customData, reference, phone: '' })
  invoices.set(invoice.token, invoice)
  return {
    status: 200,
    body: {
      response_code: '00',
      response_text: `${url}${mount.path}/checkout-invoice/confirm/${invoice.token}`,
      description: 'Checkout Invoice Created',
      token: invoice.token,
    },
  }
}

/** Sends the customer a code. There is no idempotency: each call is another prompt. */
function prompt(books: Books, { mount, body }: Call, invoice: Invoice): Answer | Promise<Answer> {
  const phone = text(body.phone_number)
  if (!isPhone(phone)) return failure('phone_number', 400)
  const wish: Wish = {
    mount,
    operation: 'collect',
    key: invoice.reference || invoice.token,
    isKeyUnique: false,
    clientReference: invoice.reference,
    phone,
    amount: invoice.amount,
    prefix: 'TX',
    echo: {},
    adapt: (script) => (needsCode(script) ? onceThePayerActs(script) : script),
    execute: (order) => {
      if (invoice.paidBy !== undefined) return false
      invoice.paidBy = order
      return true
    },
  }
  if (invoice.callbackUrl !== '')
    wish.tell = (order, claim) => callback(invoice, claim, stateOf(invoice, order, claim))
  return placeOrder(books, wish, {
    entered: (order) => invoice.orders.push(order),
    taken: ({ reference }) => ({
      status: 200,
      body: {
        success: true,
        message: 'A code was sent to the customer',
        data: { TransactionID: reference },
      },
    }),
  })
}

// Nobody types a code who refuses, who lets the prompt run out, or whose prompt we never heard of.
function needsCode({ steps }: Script): boolean {
  const answer = steps.findIndex((step) => step.do === 'answer')
  const isLate = steps.slice(0, Math.max(0, answer)).some(takesTime)
  return !isLate && !steps.some(isWithoutCode)
}

function isWithoutCode(step: Step): boolean {
  if (step.do === 'decline') return step.reason === 'refused' || step.reason === 'expired'
  return step.do === 'lose_answer' || step.do === 'status'
}

function confirm(books: Books, { mount, body }: Call): Answer | Promise<Answer> {
  const order = findByReference(books, mount, text(body.transaction_id))
  if (order === undefined) return failure('Unknown transaction', 404)
  if (text(body.phone_number).slice(-9) !== order.phone.slice(-9))
    return failure('Not the number of this transaction')
  if (order.status !== 'pending') return failure('Already processed')
  if (body.authorization_code !== rightCode) return failure('Invalid code')

  const accepted: Answer = { status: 200, body: { success: true, message: 'Code accepted' } }
  if (!isHeld(order)) return accepted
  // A wallet looks at its balance before it accepts the code.
  if (order.script.steps.some(isShortOfFunds)) {
    hurry(books, order)
    return failure(reasonWords.insufficient_funds)
  }
  return answerWhenDue(books, letGo(order), () => accepted)
}

function isShortOfFunds(step: Step): boolean {
  return step.do === 'decline' && step.reason === 'insufficient_funds'
}

function describe(books: Books, invoice: Invoice): Body {
  for (const order of invoice.orders) play(books, order)
  const order = invoice.paidBy ?? invoice.orders.at(-1)
  const state = stateOf(invoice, order, order)
  return { response_code: '00', response_text: 'Transaction found', ...state }
}

function stateOf(
  invoice: Invoice,
  order: Order | undefined,
  claim: Pick<Claim, 'status' | 'reason'> | undefined,
): Body {
  const { token, customData } = invoice
  const { status = 'pending', reason = 'failed' } = claim ?? {}
  const failed = reason === 'refused' || reason === 'expired' ? 'cancelled' : 'failed'
  const words = { pending: 'pending', succeeded: 'completed', failed }
  return {
    token,
    status: words[status],
    ...(status === 'failed' && { fail_reason: reasonWords[reason] }),
    invoice: { token, total_amount: order ? amountShown(order) : invoice.amount },
    receipt_identifier: status === 'succeeded' ? (order?.reference ?? null) : null,
    custom_data: customData,
  }
}

function failure(message: string, status = 200): Answer {
  return { status, body: { success: false, message } }
}
