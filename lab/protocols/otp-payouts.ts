import { amountOf, isPhone, isWebAddress, text } from '../fields.ts'
import type { Claim, Order, OrderBook } from '../order.ts'
import { amountShown, declineOfRepeats, isHidden, placeOrder } from '../order-book.ts'
import type { Answer, Body, Call, Routes } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import type { Reason } from '../script.ts'
import {
  failReasons,
  type Invoice,
  type Invoices,
  invalid,
  openInvoices,
  unknownToken,
} from './otp-invoices.ts'

/** Payouts: an invoice first, which moves no money, then its submission, which succeeds once. */
export function otpPayouts(book: OrderBook): Routes {
  const payouts = openInvoices(book, 'otp payout', stateOf)
  return {
    'POST /disburse/get-invoice': (call) => createPayout(payouts, call),
    'POST /disburse/submit-invoice': (call) => {
      const payout = payouts.find(call.mount, call.body.disburse_invoice)
      return payout ? submit(book, payouts, call, payout) : unknownToken
    },
    'POST /disburse/check-status': (call) => {
      const payout = payouts.find(call.mount, call.body.disburse_invoice)
      return payout ? { status: 200, body: describe(book, payout) } : unknownToken
    },
  }
}

function createPayout(payouts: Invoices, { mount, body }: Call): Answer {
  const amount = amountOf(body.amount)
  const phone = text(body.account_alias)
  const callbackUrl = text(body.callback_url)
  if (amount === undefined) return invalid('amount: whole francs')
  if (!isPhone(phone)) return invalid('account_alias: a phone number')
  if (callbackUrl !== '' && !isWebAddress(callbackUrl)) return invalid('callback_url')
  const given = { mount, amount, callbackUrl, phone, reference: '', customData: {} }
  const payout = payouts.create(given)
  return { status: 200, body: { response_code: '00', disburse_token: payout.token } }
}

function submit(
  book: OrderBook,
  { kind }: Invoices,
  { mount, body }: Call,
  payout: Invoice,
): Answer | Promise<Answer> {
  const reason = declineOfRepeats(payout.orders[0])
  if (reason !== undefined) return declined(reason)
  if (payout.orders.length > 0 && book.isIdempotent) return alreadySubmitted
  const clientReference = text(body.disburse_id)
  const request = {
    mount,
    kind,
    operation: 'disburse' as const,
    key: clientReference || payout.token,
    isKeyUnique: false,
    clientReference,
    phone: payout.phone,
    amount: payout.amount,
    prefix: 'PO',
    callbackUrl: payout.callbackUrl,
    echo: { invoice: payout.token },
  }
  return placeOrder(book, request, {
    accepted: () => ({
      status: 200,
      body: { response_text: 'Submitted', ...describe(book, payout) },
    }),
    declined,
  })
}

const declined = (reason: Reason) => invalid(failReasons[reason], 200)

const alreadySubmitted: Answer = {
  status: 200,
  body: { response_code: '1001', response_text: 'This invoice was submitted already' },
}

function describe(book: OrderBook, payout: Invoice): Body {
  const submitted = payout.orders.at(-1)
  if (submitted !== undefined) runDueSteps(book, submitted)
  const order = submitted === undefined || isHidden(submitted) ? undefined : submitted
  return { response_code: '00', ...stateOf(payout, order, order) }
}

function stateOf(
  { token, reference, amount }: Invoice,
  order: Order | undefined,
  claim: Pick<Claim, 'status' | 'reason'> | undefined,
): Body {
  const statuses = { pending: 'pending', succeeded: 'success', failed: 'failed' }
  return {
    token,
    status: claim ? statuses[claim.status] : 'created',
    transaction_id: order?.reference ?? null,
    amount: order ? amountShown(order) : amount,
    disburse_id: reference,
    ...(claim?.status === 'failed' && { fail_reason: failReasons[claim.reason ?? 'failed'] }),
  }
}
