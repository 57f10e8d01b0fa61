import { randomBytes } from 'node:crypto'
import type { CallbackRequest } from '../callback-sender.ts'
import { forgedUrl } from '../callback-sender.ts'
import { text } from '../fields.ts'
import type { Claim, Order } from '../order.ts'
import type { Answer, Body, Mount } from '../router.ts'
import type { Reason } from '../script.ts'

/** An amount to collect or pay out. The order follows with the prompt, or the submission. */
export interface Invoice {
  token: string
  mount: Mount
  amount: number
  /** The client's own reference. */
  reference: string
  callbackUrl: string
  /** For a payout: the receiver's number. */
  phone: string
  customData: Body
  orders: Order[]
  paidBy: Order | undefined
}

/** The field `fail_reason` for each reason. */
export const failReasons: Record<Reason, string> = {
  insufficient_funds: 'Insufficient funds',
  refused: 'Refused by the customer',
  expired: 'Expired',
  payee_refused: 'Refused by the receiver',
  failed: 'Failed',
}

/** A new invoice, with a random token. */
export function openInvoice(given: Omit<Invoice, 'token' | 'orders' | 'paidBy'>): Invoice {
  const token = randomBytes(15).toString('base64url')
  return { token, ...given, orders: [], paidBy: undefined }
}

/** The invoice with this token, if it was created at this mount. */
export function findInvoice(
  invoices: Map<string, Invoice>,
  mount: Mount,
  token: unknown,
): Invoice | undefined {
  const invoice = invoices.get(text(token))
  return invoice?.mount === mount ? invoice : undefined
}

/** An unsigned callback about an invoice. */
export function writeCallback(
  { callbackUrl }: Invoice,
  { isForged }: Claim,
  data: Body,
): CallbackRequest {
  return {
    method: 'POST',
    url: isForged ? forgedUrl(callbackUrl) : callbackUrl,
    body: JSON.stringify({ data }),
    isForged,
  }
}

/** The answer to a token that was not issued at this mount. */
export const unknownToken: Answer = {
  status: 404,
  body: { response_code: '1002', response_text: 'Unknown token' },
}

/** The answer to a request with an invalid field, or to an address that is not known. */
export function invalid(message: string, status = 400): Answer {
  return { status, body: { response_code: '1003', response_text: message } }
}
