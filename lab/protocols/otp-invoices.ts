import { randomBytes } from 'node:crypto'
import { type CallbackRequest, forgedUrl } from '../callback-sender.ts'
import { text } from '../fields.ts'
import type { Claim, Order, OrderBook, OrderKind } from '../order.ts'
import { defineKind } from '../order-book.ts'
import { keepRecords } from '../order-journal.ts'
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

/** What a client says of a new invoice. */
type NewInvoice = Omit<Invoice, 'token' | 'orders' | 'paidBy'>

/** The invoices of one kind, and the kind of the orders for them. */
export interface Invoices {
  kind: OrderKind
  /** A new invoice, with a random token. */
  create(given: NewInvoice): Invoice
  /** The invoice with this token, if it was created at this mount. */
  find(mount: Mount, token: unknown): Invoice | undefined
}

/** Opens invoices that a restarted lab has again; their orders name them in `echo.invoice`. */
export function openInvoices(
  book: OrderBook,
  name: string,
  stateOf: (invoice: Invoice, order: Order, claim: Claim) => Body,
): Invoices {
  const invoices = new Map<string, Invoice>()
  const add = (invoice: Omit<Invoice, 'orders' | 'paidBy'>) => {
    const open = { ...invoice, orders: [], paidBy: undefined }
    invoices.set(open.token, open)
    return open
  }
  type Saved = Omit<Invoice, 'mount' | 'orders' | 'paidBy'>
  const save = keepRecords<Saved>(book, name, (data, mount) => void add({ ...data, mount }))
  const invoiceOf = ({ echo }: Order) => invoices.get(text(echo.invoice))
  const kind = defineKind(book, {
    name,
    writeCallback: (order, claim) => {
      const invoice = invoiceOf(order)
      return writeCallback(order, claim, invoice ? stateOf(invoice, order, claim) : {})
    },
    execute: (order) => {
      const invoice = invoiceOf(order)
      if (invoice === undefined) return true
      // Of several prompts for one invoice the customer pays one.
      if (invoice.paidBy !== undefined && order.operation === 'collect') return false
      invoice.paidBy = order
      return true
    },
    entered: (order) => {
      const invoice = invoiceOf(order)
      invoice?.orders.push(order)
      if (invoice !== undefined) invoice.reference = order.clientReference
    },
  })
  return {
    kind,
    create: ({ mount, ...given }) => {
      const token = randomBytes(15).toString('base64url')
      save(mount, { token, ...given })
      return add({ token, mount, ...given })
    },
    find: (mount, token) => {
      const invoice = invoices.get(text(token))
      return invoice?.mount === mount ? invoice : undefined
    },
  }
}

/** An unsigned callback about an invoice. */
function writeCallback({ callbackUrl }: Order, { isForged }: Claim, data: Body): CallbackRequest {
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
