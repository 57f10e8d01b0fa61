import type { BillerRecords } from '../biller-records.ts'
import { amountOfText, lastNineDigits, text } from '../fields.ts'
import type { Claim, Order, OrderBook, OrderKind } from '../order.ts'
import { amountShown, defineKind, findByKey } from '../order-book.ts'
import type { Answer, Body, Call, Routes } from '../router.ts'
import { withoutDelays } from '../script.ts'
import { errorOf, invalid, notFound, refusal, wrongState } from './gsma-errors.ts'
import { acceptedAnswer, keyOf, placeRequest, statuses } from './gsma-requests.ts'
import { gsmaCallback } from './gsma-transactions.ts'

/** The bills of the billers' customers, and payments of them. */
export function gsmaBills(book: OrderBook, billers: BillerRecords): Routes {
  const kind = defineKind(book, {
    name: 'gsma bill',
    execute: ({ mount, phone, echo }) => billers.settle(mount, phone, text(echo.billReference)),
    writeCallback: (order, claim) => gsmaCallback(order, claim, writePayment(order, claim)),
  })
  return {
    'GET /accounts/:type/:id/bills': ({ mount, params: [, account = ''] }) => {
      const bills = billers.billsOf(mount, account)
      return bills ? { status: 200, body: bills.map(billers.write) } : notFound()
    },
    'POST /accounts/:type/:id/bills/:bill/payments': (call) => {
      const [, account = '', bill = ''] = call.params
      return payBill(book, kind, billers, call, [account, bill])
    },
  }
}

function payBill(
  book: OrderBook,
  kind: OrderKind,
  billers: BillerRecords,
  call: Call,
  [account, reference]: [account: string, reference: string],
): Answer | Promise<Answer> {
  const { mount, body } = call
  const bill = billers.billOf(mount, account, reference)
  if (bill === undefined) return notFound('No such bill')
  const amount = amountOfText(body.amountPaid)
  if (amount === undefined) return invalid('amountPaid')
  if (body.currency !== mount.currency) return invalid('currency')
  if (findByKey(book, mount, keyOf(call)) === undefined) {
    if (bill.isPaid) return wrongState('Already paid')
    if (amount !== bill.amount) {
      const code = amount < bill.amount ? 'underPaymentNotAllowed' : 'overPaymentNotAllowed'
      return refusal(400, 'businessRule', code, `The bill is of ${bill.amount}`)
    }
  }
  const order = {
    kind,
    operation: 'bill' as const,
    phone: lastNineDigits(account),
    amount,
    adaptScript: withoutDelays,
    echo: { type: 'billpay', customerReference: body.customerReference, billReference: reference },
  }
  return placeRequest(book, call, order, paymentAnswer)
}

/** The answer to a payment is its result, unless a script makes it wait. */
function paymentAnswer(order: Order): Answer {
  if (order.status === 'failed') return { status: 400, body: errorOf(order.reason) }
  if (order.status === 'pending') return acceptedAnswer(order)
  return { status: 201, body: writePayment(order, order) }
}

function writePayment(order: Order, { status }: Pick<Claim, 'status'>): Body {
  return {
    serviceProviderPaymentReference: order.reference,
    requestingOrganisationTransactionReference: order.clientReference,
    customerReference: order.echo.customerReference,
    paymentType: 'fullpayment',
    billPaymentStatus: statuses[status],
    amountPaid: String(amountShown(order)),
    currency: order.mount.currency,
    creationDate: new Date(order.createdAt).toISOString(),
  }
}
