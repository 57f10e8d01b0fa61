import { amountOf, isPhone, isWebAddress, text } from '../fields.ts'
import type { Claim, Order, OrderBook, OrderRequest } from '../order.ts'
import { amountShown, placeOrder } from '../order-book.ts'
import type { Answer, Body, Call, Routes } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import type { Invoice } from './otp-invoices.ts'
import {
  failReasons,
  findInvoice,
  invalid,
  openInvoice,
  unknownToken,
  writeCallback,
} from './otp-invoices.ts'

/** Payouts: an invoice first, which moves no money, then its submission, which succeeds once. */
export function otpPayouts(book: OrderBook): Routes {
  const payouts = new Map<string, Invoice>()
  return {
    'POST /disburse/get-invoice': (call) => createPayout(payouts, call),
    'POST /disburse/submit-invoice': (call) => {
      const payout = findInvoice(payouts, call.mount, call.body.disburse_invoice)
      return payout ? submit(book, call, payout) : unknownToken
    },
    'POST /disburse/check-status': (call) => {
      const payout = findInvoice(payouts, call.mount, call.body.disburse_invoice)
      return payout ? { status: 200, body: describe(book, payout) } : unknownToken
    },
  }
}

function createPayout(payouts: Map<string, Invoice>, { mount, body }: Call): Answer {
  const amount = amountOf(body.amount)
  const phone = text(body.account_alias)
  const callbackUrl = text(body.callback_url)
  if (amount === undefined) return invalid('amount: whole francs')
  if (!isPhone(phone)) return invalid('account_alias: a phone number')
  if (callbackUrl !== '' && !isWebAddress(callbackUrl)) return invalid('callback_url')
  const payout = openInvoice({ mount, amount, callbackUrl, phone, reference: '', customData: {} })
  payouts.set(payout.token, payout)
  return { status: 200, body: { response_code: '00', disburse_token: payout.token } }
}

function submit(book: OrderBook, { mount, body }: Call, payout: Invoice): Answer | Promise<Answer> {
  if (payout.orders.length > 0 && book.isIdempotent) return alreadySubmitted
  payout.reference = text(body.disburse_id)
  const request: OrderRequest = {
    mount,
    operation: 'disburse',
    key: payout.reference || payout.token,
    isKeyUnique: false,
    clientReference: payout.reference,
    phone: payout.phone,
    amount: payout.amount,
    prefix: 'PO',
    echo: {},
  }
  if (payout.callbackUrl !== '')
    request.writeCallback = (order, claim) =>
      writeCallback(payout, claim, stateOf(payout, order, claim))
  return placeOrder(book, request, {
    entered: (order) => payout.orders.push(order),
    accepted: () => ({
      status: 200,
      body: { response_text: 'Submitted', ...describe(book, payout) },
    }),
  })
}

const alreadySubmitted: Answer = {
  status: 200,
  body: { response_code: '1001', response_text: 'This invoice was submitted already' },
}

function describe(book: OrderBook, payout: Invoice): Body {
  const order = payout.orders.at(-1)
  if (order !== undefined) runDueSteps(book, order)
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
