import { randomBytes } from 'node:crypto'
import type { Message } from './callbacks.ts'
import { wrongAddress } from './callbacks.ts'
import type { Answer, Body, Mount } from './http.ts'
import { text } from './http.ts'
import type { Claim, Order } from './orders.ts'
import type { Reason } from './scenarios.ts'

/** What is to be paid, or paid out. No order exists before the customer, or we, go on with it. */
export interface Invoice {
  token: string
  mount: Mount
  amount: number
  /** The client's own. */
  reference: string
  callbackUrl: string
  /** Of a payout: who receives it. */
  phone: string
  customData: Body
  orders: Order[]
  paidBy: Order | undefined
}

/** Why it failed, as `fail_reason` says it. */
export const reasonWords: Record<Reason, string> = {
  insufficient_funds: 'Insufficient funds',
  refused: 'Refused by the customer',
  expired: 'Expired',
  payee_refused: 'Refused by the receiver',
  failed: 'Failed',
}

/** A new invoice with a token that nobody can guess. */
export function openInvoice(given: Omit<Invoice, 'token' | 'orders' | 'paidBy'>): Invoice {
  const token = randomBytes(15).toString('base64url')
  return { token, ...given, orders: [], paidBy: undefined }
}

/** The invoice of a token that was given out at this mount. */
export function findInvoice(
  invoices: Map<string, Invoice>,
  mount: Mount,
  token: unknown,
): Invoice | undefined {
  const invoice = invoices.get(text(token))
  return invoice?.mount === mount ? invoice : undefined
}

/** An unsigned callback: whoever knows the address could have sent it. */
export function callback({ callbackUrl }: Invoice, { isForged }: Claim, data: Body): Message {
  return {
    method: 'POST',
    url: isForged ? wrongAddress(callbackUrl) : callbackUrl,
    body: JSON.stringify({ data }),
    isForged,
  }
}

/** The answer about an invoice that was never made here. */
export const unknownToken: Answer = {
  status: 404,
  body: { response_code: '1002', response_text: 'Unknown token' },
}

/** The answer to a request that cannot be understood. */
export function invalid(message: string): Answer {
  return { status: 400, body: { response_code: '1003', response_text: message } }
}
