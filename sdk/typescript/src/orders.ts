import { part } from './exchange.ts'
import type {
  InitAnswer,
  InitRequest,
  LinkAnswer,
  LinkDetailAnswer,
  LinkRequest,
  PayBillAnswer,
  PayBillRequest,
  RefundAnswer,
  RefundRequest,
  TransactionDetailAnswer,
} from './interface.ts'
import type { Order } from './place-order.ts'
import {
  fromAnswer,
  fromDetail,
  fromLinkAnswer,
  fromLinkDetail,
  type Link,
  type Payment,
} from './records.ts'

type OwnId = { externalTransactionId?: string }

/** An order as the interface writes it; an id is made when there is none. */
export type WalletOrder = Omit<InitRequest, 'externalTransactionId'> & OwnId
export type BillOrder = PayBillRequest
export type RefundOrder = RefundRequest
export type LinkOrder = Omit<LinkRequest, 'externalTransactionId'> & OwnId

/** A new externalTransactionId that nobody else has. */
export function newExternalId(): string {
  return crypto.randomUUID()
}

/** A collection, payout or recharge. */
export function walletOrder(
  order: WalletOrder,
  type: 'CASHOUT' | 'CASHIN' | 'AIRTIME',
): Order<Payment> {
  const { serviceCode, amount, number } = order
  if (typeof serviceCode !== 'string' || !serviceCode.endsWith(`_${type}`))
    throw new TypeError(`serviceCode must end in _${type}, but is ${serviceCode}`)
  return paymentOrder('/transaction/init', order, {
    readAnswer: ({ transaction }: InitAnswer) => fromAnswer(transaction, 'answer'),
    isThis: (payment) =>
      payment.type === type &&
      payment.serviceCode === serviceCode &&
      payment.amount === amount &&
      payment.number === number,
  })
}

/** The payment of a bill. Billers write customers with leading zeros. */
export function billOrder(order: BillOrder): Order<Payment> {
  const { serviceCode, reference_client: customer, reference_facture: bill, amount } = order
  return paymentOrder('/billing/pay', order, {
    readAnswer: ({ transaction }: PayBillAnswer) =>
      fromAnswer(transaction, 'answer', { serviceCode }),
    isThis: (payment) =>
      payment.type === 'BILL' &&
      bare(payment.number) === bare(customer) &&
      payment.serviceCode === serviceCode &&
      (bill === undefined || payment.referenceFacture === bill) &&
      // A bill imposes its own amount.
      (amount === undefined || payment.referenceFacture !== undefined || payment.amount === amount),
  })
}

function bare(reference: string): string {
  return reference.replace(/^0+/, '')
}

/** A refund of a payment, in whole or in part. */
export function refundOrder(id: string, order: RefundOrder): Order<Payment> {
  return paymentOrder(`/transaction/refund/${part(id)}`, order, {
    readAnswer: ({ transaction, refund }: RefundAnswer) =>
      fromAnswer(transaction, 'answer', { originalTransactionId: refund.originalTransactionId }),
    isThis: (payment) =>
      payment.type === 'REFUND' && (order.amount === undefined || payment.amount === order.amount),
    originalId: id,
  })
}

/** A payment link. */
export function linkOrder(order: LinkOrder): Order<Link> {
  const { body, id } = withId(order, order.ItemPrice)
  return {
    externalTransactionId: id,
    send: { method: 'POST', path: '/transaction/merchant/get-link', body },
    lookUp: { method: 'GET', path: `/merchant/${part(id)}` },
    readAnswer: (answer: LinkAnswer) => fromLinkAnswer(answer, 'answer'),
    readLookup: ({ transaction }: LinkDetailAnswer) => fromLinkDetail(transaction, 'lookup'),
    isThis: (link) => link.amount === order.ItemPrice && link.itemName === order.ItemName,
  }
}

interface PaymentReading<Answer> extends Pick<Order<Payment>, 'isThis' | 'originalId'> {
  readAnswer(answer: Answer): Payment | undefined
}

function paymentOrder<Answer>(
  path: string,
  order: OwnId & { amount?: number },
  reading: PaymentReading<Answer>,
): Order<Payment> {
  const { body, id } = withId(order, order.amount)
  return {
    externalTransactionId: id,
    send: { method: 'POST', path, body },
    lookUp: { method: 'GET', path: `/transaction/${part(id)}` },
    readLookup: ({ transaction }: TransactionDetailAnswer) => fromDetail(transaction, 'lookup'),
    ...reading,
  }
}

function withId(order: OwnId, amount: number | undefined): { body: object; id: string } {
  // Whether a text is a number, or a number high enough, is the gateway's to say.
  if (typeof amount === 'bigint' || (typeof amount === 'number' && !Number.isSafeInteger(amount)))
    throw new TypeError('Amounts are whole francs')
  const id = order.externalTransactionId ?? newExternalId()
  return { body: { ...order, externalTransactionId: id }, id }
}
