import { amountOf, isPhone, isWebAddress, object, text } from '../fields.ts'
import type { Claim, Order, OrderBook } from '../order.ts'
import {
  amountShown,
  answerWhenDue,
  declineOfRepeats,
  findByReference,
  isHidden,
  placeOrder,
} from '../order-book.ts'
import type { Answer, Body, Call, Protocol } from '../router.ts'
import { isHeld, replaceScript, resumeHeld, runDueSteps, skipDelay } from '../run-script.ts'
import { type Reason, type Script, type Step, takesTime, waitingForPayer } from '../script.ts'
import {
  failReasons,
  type Invoice,
  type Invoices,
  invalid,
  openInvoices,
  unknownToken,
} from './otp-invoices.ts'
import { otpPayouts } from './otp-payouts.ts'

/** The only one-time code that is right. */
const rightCode = '123456'
/** An invoice that nobody has paid by then is cancelled. */
const lifetimeMs = 86_400_000

/** Invoices that the customer pays with a one-time code, and payouts in two calls. */
export function otpConfirm(book: OrderBook, url: string): Protocol {
  const invoices = openInvoices(book, 'otp invoice', stateOf)
  return {
    malformed: () => invalid('The body is not JSON'),
    unknownPath: () => invalid('There is no such address', 404),
    routes: {
      'POST /checkout-invoice/create': (call) => createInvoice(invoices, url, call),
      'GET /checkout-invoice/confirm/:token': (call) => {
        const invoice = invoices.find(call.mount, call.params[0])
        return invoice ? { status: 200, body: describe(book, invoice) } : unknownToken
      },
      'POST /softpay/confirm': (call) => confirm(book, call),
      'POST /softpay/:wallet': (call) => {
        const invoice = invoices.find(call.mount, call.body.invoice_token)
        return invoice ? prompt(book, invoices, call, invoice) : failure('Unknown invoice', 404)
      },
      ...otpPayouts(book),
    },
  }
}

function createInvoice(invoices: Invoices, url: string, call: Call): Answer {
  const { mount, body } = call
  const amount = amountOf(object(body.invoice).total_amount)
  const callbackUrl = text(object(body.actions).callback_url)
  if (amount === undefined) return invalid('invoice.total_amount: whole francs')
  if (callbackUrl !== '' && !isWebAddress(callbackUrl)) return invalid('actions.callback_url')
  const customData = object(body.custom_data)
  const reference = text(customData.reference)
  const invoice = invoices.create({ mount, amount, callbackUrl, customData, reference, phone: '' })
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

/** Sends the customer a code. Not idempotent: each request sends another prompt. */
function prompt(
  book: OrderBook,
  { kind }: Invoices,
  { mount, body }: Call,
  invoice: Invoice,
): Answer | Promise<Answer> {
  const phone = text(body.phone_number)
  if (!isPhone(phone)) return failure('phone_number', 400)
  const reason = declineOfRepeats(invoice.orders[0])
  if (reason !== undefined) return declined(reason)
  const request = {
    mount,
    kind,
    operation: 'collect' as const,
    key: invoice.reference || invoice.token,
    isKeyUnique: false,
    clientReference: invoice.reference,
    phone,
    amount: invoice.amount,
    prefix: 'TX',
    callbackUrl: invoice.callbackUrl,
    echo: { invoice: invoice.token },
    adaptScript: (script: Script) => (needsCode(script) ? waitingForPayer(script) : script),
  }
  return placeOrder(book, request, {
    accepted: ({ reference }) => ({
      status: 200,
      body: {
        success: true,
        message: 'A code was sent to the customer',
        data: { TransactionID: reference },
      },
    }),
    declined,
  })
}

const declined = (reason: Reason) => failure(failReasons[reason])

// No code follows when the payer refuses, when the prompt expires, or when the client never gets
// the answer to the prompt in time.
function needsCode({ steps }: Script): boolean {
  const answer = steps.findIndex((step) => step.do === 'answer')
  const isLate = steps.slice(0, Math.max(0, answer)).some(takesTime)
  return !isLate && !steps.some(isWithoutCode)
}

function isWithoutCode(step: Step): boolean {
  if (step.do === 'decline') return step.reason === 'refused' || step.reason === 'expired'
  return step.do === 'lose_answer' || step.do === 'status'
}

function confirm(book: OrderBook, { mount, body }: Call): Answer | Promise<Answer> {
  const order = findByReference(book, mount, text(body.transaction_id))
  if (order === undefined) return failure('Unknown transaction', 404)
  expire(book, order)
  if (text(body.phone_number).slice(-9) !== order.phone.slice(-9))
    return failure('Not the number of this transaction')
  if (order.status !== 'pending') return failure('Already processed')
  if (body.authorization_code !== rightCode) return failure('Invalid code')

  const accepted: Answer = { status: 200, body: { success: true, message: 'Code accepted' } }
  if (!isHeld(order)) return accepted
  // A wallet checks its balance before it accepts the code.
  if (order.script.steps.some(isShortOfFunds)) {
    skipDelay(book, order)
    return failure(failReasons.insufficient_funds)
  }
  return answerWhenDue(book, resumeHeld(order), () => accepted)
}

/** Ends the wait for a code that never came. */
function expire(book: OrderBook, order: Order): void {
  if (isHeld(order) && Date.now() > order.createdAt + lifetimeMs / book.pace)
    replaceScript(book, order, [{ do: 'decline', reason: 'expired' }, { do: 'callback' }])
}

function isShortOfFunds(step: Step): boolean {
  return step.do === 'decline' && step.reason === 'insufficient_funds'
}

function describe(book: OrderBook, invoice: Invoice): Body {
  for (const order of invoice.orders) expire(book, runDueSteps(book, order))
  const found = invoice.paidBy ?? invoice.orders.at(-1)
  const order = found === undefined || isHidden(found) ? undefined : found
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
  const statuses = { pending: 'pending', succeeded: 'completed', failed }
  return {
    token,
    status: statuses[status],
    ...(status === 'failed' && { fail_reason: failReasons[reason] }),
    invoice: { token, total_amount: order ? amountShown(order) : invoice.amount },
    receipt_identifier: status === 'succeeded' ? (order?.reference ?? null) : null,
    custom_data: customData,
  }
}

function failure(message: string, status = 200): Answer {
  return { status, body: { success: false, message } }
}
