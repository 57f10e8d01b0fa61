import type { Answer, Body, Call, Routes } from './http.ts'
import { amountOf, isPhone, isWebAddress, text } from './http.ts'
import type { Books, Claim, Order, Wish } from './orders.ts'
import { amountShown, placeOrder } from './orders.ts'
import type { Invoice } from './otp-invoices.ts'
import {
  callback,
  findInvoice,
  invalid,
  openInvoice,
  reasonWords,
  unknownToken,
} from './otp-invoices.ts'
import { play } from './play.ts'

/** Payouts: an invoice first, which costs nothing, then its submission, which only works once. */
export function otpPayouts(books: Books): Routes {
  const payouts = new Map<string, Invoice>()
  return {
    'POST /disburse/get-invoice': (call) => createPayout(payouts, call),
    'POST /disburse/submit-invoice': (call) => {
      const payout = findInvoice(payouts, call.mount, call.body.disburse_invoice)
      return payout ? submit(books, call, payout) : unknownToken
    },
    'POST /disburse/check-status': (call) => {
      const payout = findInvoice(payouts, call.mount, call.body.disburse_invoice)
      return payout ? { status: 200, body: describe(books, payout) } : unknownToken
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

function submit(books: Books, { mount, body }: Call, payout: Invoice): Answer | Promise<Answer> {
  if (payout.orders.length > 0 && books.isIdempotent) return submittedAlready
  payout.reference = text(body.disburse_id)
  const wish: Wish = {
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
    wish.tell = (order, claim) => callback(payout, claim, stateOf(payout, order, claim))
  return placeOrder(books, wish, {
    entered: (order) => payout.orders.push(order),
    taken: () => ({
      status: 200,
      body: { response_text: 'Submitted', ...describe(books, payout) },
    }),
  })
}

const submittedAlready: Answer = {
  status: 200,
  body: { response_code: '1001', response_text: 'This invoice was submitted already' },
}

function describe(books: Books, payout: Invoice): Body {
  const order = payout.orders.at(-1)
  if (order !== undefined) play(books, order)
  return { response_code: '00', ...stateOf(payout, order, order) }
}

function stateOf(
  { token, reference, amount }: Invoice,
  order: Order | undefined,
  claim: Pick<Claim, 'status' | 'reason'> | undefined,
): Body {
  const words = { pending: 'pending', succeeded: 'success', failed: 'failed' }
  return {
    token,
    status: claim ? words[claim.status] : 'created',
    transaction_id: order?.reference ?? null,
    amount: order ? amountShown(order) : amount,
    disburse_id: reference,
    ...(claim?.status === 'failed' && { fail_reason: reasonWords[claim.reason ?? 'failed'] }),
  }
}
