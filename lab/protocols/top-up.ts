import { hasValidToken, issueToken } from '../access-tokens.ts'
import { billerReference, type Meter, meterOf } from '../biller-records.ts'
import { amountOf, isPhone, object, text } from '../fields.ts'
import { floatAt } from '../float.ts'
import type { Operation, Order, OrderBook, OrderKind } from '../order.ts'
import { amountShown, defineKind, findByReference, placeOrder, searchByKey } from '../order-book.ts'
import type { Answer, Body, Call, Protocol } from '../router.ts'
import { runDueSteps } from '../run-script.ts'
import type { Reason } from '../script.ts'
import { seededRandom } from '../seeded-random.ts'

const statuses = { pending: 'PROCESSING', succeeded: 'SUCCESSFUL', failed: 'FAILED' } as const
const reasonCodes: Record<Reason, string> = {
  insufficient_funds: 'INSUFFICIENT_BALANCE',
  refused: 'RECIPIENT_REFUSED',
  expired: 'TRANSACTION_FAILED',
  payee_refused: 'RECIPIENT_REFUSED',
  failed: 'TRANSACTION_FAILED',
}
const payCodes = {
  pending: 'PAYMENT_PROCESSING_IN_PROGRESS',
  succeeded: 'PAYMENT_PROCESSED_SUCCESSFULLY',
  failed: 'PAYMENT_FAILED',
} as const
const biller = {
  id: 1,
  name: 'Prepaid electricity',
  countryCode: 'SN',
  type: 'ELECTRICITY_BILL_PAYMENT',
  serviceType: 'PREPAID',
  localAmountSupported: true,
  localTransactionCurrencyCode: 'XOF',
  minLocalTransactionAmount: 200,
  maxLocalTransactionAmount: 1_000_000,
}

const kind: OrderKind = { name: 'top-up' }

/** Airtime, and prepaid electricity with recharge codes; this protocol has no callbacks. */
export function topUp(book: OrderBook): Protocol {
  defineKind(book, kind)
  const guarded =
    (handle: (book: OrderBook, call: Call) => Answer | Promise<Answer>) => (call: Call) =>
      hasValidToken(call) ? handle(book, call) : refusal(401, 'INVALID_TOKEN', 'Missing or too old')

  return {
    malformed: () => refusal(400, 'INVALID_REQUEST', 'The body is not JSON'),
    unknownPath: () => refusal(404, 'NOT_FOUND', 'There is no such address'),
    routes: {
      'POST /oauth/token': createToken,
      'POST /topups-async': guarded(createTopUp),
      'GET /accounts/balance': guarded(readBalance),
      'GET /topups/reports/transactions': guarded((book, call) =>
        search(book, call, 'top_up', call.query.get('customIdentifier')),
      ),
      'GET /topups/:id/status': guarded(readTopUp),
      'GET /billers': guarded(() => ({ status: 200, body: { content: [biller] } })),
      'GET /billers/:id/subscribers/:account': guarded(readSubscriber),
      'POST /pay': guarded(pay),
      'GET /transactions': guarded((book, call) =>
        search(book, call, 'bill', call.query.get('referenceId')),
      ),
      'GET /transactions/:id': guarded(readPayment),
    },
  }
}

function createToken({ mount, body }: Call): Answer {
  if (body.grant_type !== 'client_credentials')
    return refusal(400, 'INVALID_GRANT_TYPE', 'grant_type: client_credentials')
  if (text(body.client_id) === '' || text(body.client_secret) === '')
    return refusal(401, 'INVALID_CREDENTIALS', 'client_id and client_secret are needed')
  return {
    status: 200,
    body: { access_token: issueToken(mount.connector), expires_in: 3600, token_type: 'Bearer' },
  }
}

function readBalance(book: OrderBook, { mount }: Call): Answer {
  for (const order of book.orders) if (order.mount === mount) runDueSteps(book, order)
  const balance = Math.max(0, floatAt(book, mount.path))
  return { status: 200, body: { balance, currencyCode: mount.currency } }
}

function createTopUp(book: OrderBook, { mount, body }: Call): Answer | Promise<Answer> {
  const amount = amountOf(body.amount)
  const phone = text(object(body.recipientPhone).number)
  const key = text(body.customIdentifier)
  if (amount === undefined) return refusal(400, 'INVALID_AMOUNT', 'amount: whole francs')
  if (!isPhone(phone)) return refusal(400, 'INVALID_RECIPIENT_PHONE', 'recipientPhone.number')
  return placeOrder(
    book,
    {
      mount,
      kind,
      operation: 'top_up',
      key,
      isKeyUnique: true,
      clientReference: key,
      phone,
      amount,
      prefix: '',
      echo: { operatorId: body.operatorId ?? null },
    },
    {
      accepted: (order) => ({ status: 200, body: { transactionId: order.id } }),
      repeated: () => refusal(400, 'CUSTOM_IDENTIFIER_ALREADY_USED', 'customIdentifier was used'),
      declined: declinedAtOnce,
    },
  )
}

function readTopUp(book: OrderBook, { mount, params: [id = ''] }: Call): Answer {
  const order = findByReference(book, mount, id)
  if (order?.operation !== 'top_up') return refusal(404, 'TRANSACTION_NOT_FOUND', id)
  const code = order.status === 'failed' ? reasonCodes[order.reason ?? 'failed'] : null
  return {
    status: 200,
    body: {
      code,
      message: code === null ? null : messageOf(code),
      status: statuses[order.status],
      transaction: topUpOf(order),
    },
  }
}

function topUpOf(order: Order): Body {
  return {
    transactionId: order.id,
    status: statuses[order.status],
    operatorTransactionId: order.status === 'succeeded' ? `OP${order.id}` : null,
    customIdentifier: order.key,
    recipientPhone: order.phone,
    countryCode: order.mount.country,
    operatorId: order.echo.operatorId,
    requestedAmount: amountShown(order),
    requestedAmountCurrencyCode: order.mount.currency,
    deliveredAmount: order.status === 'succeeded' ? order.paid : null,
    deliveredAmountCurrencyCode: order.mount.currency,
    transactionDate: new Date(order.createdAt).toISOString(),
  }
}

// Not in the published protocol, which cannot look up the holder of a meter.
function readSubscriber(_book: OrderBook, { params: [, account = ''] }: Call): Answer {
  const meter = meterOf(account)
  if (meter === undefined) return unknownSubscriber
  const { firstName, lastName, address } = meter
  return {
    status: 200,
    body: {
      accountNumber: billerReference(account),
      firstName,
      lastName,
      address,
      status: 'ACTIVE',
    },
  }
}

function pay(book: OrderBook, { mount, body }: Call): Answer | Promise<Answer> {
  const account = text(body.subscriberAccountNumber)
  const meter = meterOf(account)
  const amount = amountOf(body.amount)
  const key = text(body.referenceId)
  if (meter === undefined) return unknownSubscriber
  if (amount === undefined) return refusal(400, 'INVALID_AMOUNT', 'amount: whole francs')
  return placeOrder(
    book,
    {
      mount,
      kind,
      operation: 'bill',
      key,
      isKeyUnique: true,
      clientReference: key,
      phone: account,
      amount,
      prefix: '',
      echo: { meter },
    },
    {
      accepted: (order) => {
        if (order.status === 'failed') return refusal(400, 'PAYMENT_REFUSED', 'Refused')
        const payment = paymentOf(book, order)
        return { status: 200, body: { code: payCodes[order.status], ...payment } }
      },
      repeated: () => refusal(400, 'REFERENCE_ID_ALREADY_USED', 'referenceId was used'),
      declined: declinedAtOnce,
    },
  )
}

function readPayment(book: OrderBook, { mount, params: [id = ''] }: Call): Answer {
  const order = findByReference(book, mount, id)
  if (order?.operation !== 'bill') return refusal(404, 'TRANSACTION_NOT_FOUND', id)
  const code = payCodes[order.status]
  return {
    status: 200,
    body: { code, message: messageOf(code), transaction: paymentOf(book, order) },
  }
}

function paymentOf(book: OrderBook, order: Order): Body {
  const isPaid = order.status === 'succeeded'
  return {
    id: order.id,
    status: statuses[order.status],
    referenceId: order.key,
    amount: amountShown(order),
    amountCurrencyCode: order.mount.currency,
    fee: 0,
    billDetails: {
      type: biller.type,
      billerId: biller.id,
      billerName: biller.name,
      subscriberDetails: { accountNumber: billerReference(order.phone) },
      pinDetails: isPaid ? { token: codesOf(book, order).join(' ') } : null,
    },
    submittedAt: new Date(order.createdAt).toISOString(),
  }
}

/** The recharge codes of a top-up, in the order to type: twenty digits each, in fours. */
function codesOf({ seed }: OrderBook, { id, echo }: Order): string[] {
  const { codes } = echo.meter as Meter
  return Array.from({ length: codes }, (_, code) =>
    Array.from({ length: 5 }, (_, group) =>
      String(Math.floor(seededRandom(seed, id, 10 + code * 5 + group) * 10_000)).padStart(4, '0'),
    ).join('-'),
  )
}

function search(book: OrderBook, { mount }: Call, operation: Operation, key: string | null) {
  const order = key === null || key === '' ? undefined : searchByKey(book, mount, key)
  const describe = operation === 'top_up' ? topUpOf : (one: Order) => paymentOf(book, one)
  return { status: 200, body: { content: order?.operation === operation ? [describe(order)] : [] } }
}

const unknownSubscriber = refusal(
  404,
  'SUBSCRIBER_NOT_FOUND',
  'The biller does not know this subscriber',
)

function declinedAtOnce(reason: Reason): Answer {
  return refusal(400, reasonCodes[reason], messageOf(reasonCodes[reason]))
}

function messageOf(code: string): string {
  return code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ')
}

function refusal(status: number, errorCode: string, message: string): Answer {
  return { status, body: { errorCode, message } }
}
