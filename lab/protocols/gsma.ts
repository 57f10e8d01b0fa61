import type { BillerRecords } from '../biller-records.ts'
import type { CallbackRequest } from '../callback-sender.ts'
import { forgedUrl } from '../callback-sender.ts'
import {
  amountOfText,
  header,
  isPhone,
  isWebAddress,
  lastNineDigits,
  object,
  text,
} from '../fields.ts'
import type { Claim, Operation, Order, OrderBook, OrderKind, OrderRequest } from '../order.ts'
import { amountShown, defineKind, findByKey, findByReference, placeOrder } from '../order-book.ts'
import type { Answer, Body, Call, Protocol } from '../router.ts'
import type { Reason } from '../script.ts'
import { withoutDelays } from '../script.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const statuses = { pending: 'pending', succeeded: 'completed', failed: 'failed' } as const
const operations = new Map<string, Operation>([
  ['merchantpay', 'collect'],
  ['disbursement', 'disburse'],
])

// The published codes do not distinguish a refused prompt from an expired one: a parameter does.
const errors: Record<Reason, [code: string, description: string, cause?: string]> = {
  insufficient_funds: ['insufficientFunds', 'The account has not enough funds'],
  refused: ['requestDeclined', 'The payer refused the request', 'payerRejected'],
  expired: ['requestDeclined', 'The payer did not answer in time', 'promptExpired'],
  payee_refused: ['requestDeclined', 'The payee cannot receive this payment', 'payeeRejected'],
  failed: ['genericError', 'The transaction failed'],
}

const transactionKind: OrderKind = { name: 'gsma transaction', writeCallback }

/** The GSMA Mobile Money API: prompts, disbursements, reversals and bills. */
export function gsma(book: OrderBook, billers: BillerRecords): Protocol {
  const notFound = refusal(404, 'identification', 'identifierError', 'Not found')
  defineKind(book, transactionKind)
  const billKind = defineKind(book, {
    name: 'gsma bill',
    execute: ({ mount, phone, echo }) => billers.settle(mount, phone, text(echo.billReference)),
  })
  const transactionOf = ({ mount, params }: Call) => findByReference(book, mount, params[0] ?? '')

  return {
    malformed: () => invalid('body'),
    unknownPath: () => notFound,
    routes: {
      'POST /transactions/type/:type': (call) => createTransaction(book, call),
      'POST /transactions/:reference/reversals': (call) => reverse(book, call, transactionOf(call)),
      'GET /transactions/:reference': (call) => {
        const order = transactionOf(call)
        return order ? { status: 200, body: transaction(order, order) } : notFound
      },
      'GET /requeststates/:id': ({ mount, params: [id = ''] }) => {
        if (!uuid.test(id)) return invalid('serverCorrelationId')
        const order = findByReference(book, mount, referenceOfState(id))
        return order ? { status: 200, body: requestState(order) } : notFound
      },
      'GET /responses/:id': ({ mount, params: [id = ''] }) => {
        if (!uuid.test(id)) return invalid('clientCorrelationId')
        const order = findByKey(book, mount, id.toLowerCase())
        return order
          ? { status: 200, body: { link: `/transactions/${order.reference}` } }
          : notFound
      },
      'GET /heartbeat': () => ({ status: 200, body: { serviceStatus: 'available' } }),
      'GET /accounts/:type/:id/bills': ({ mount, params: [, id = ''] }) => {
        const bills = billers.billsOf(mount, id)
        return bills ? { status: 200, body: bills.map(billers.write) } : notFound
      },
      'POST /accounts/:type/:id/bills/:bill/payments': (call) =>
        payBill(book, billKind, billers, call),
    },
  }
}

function createTransaction(book: OrderBook, call: Call): Answer | Promise<Answer> {
  const [type = ''] = call.params
  const operation = operations.get(type)
  if (operation === undefined) return refusal(400, 'validation', 'formatError', 'Unknown type')
  const { body, mount } = call
  const amount = amountOfText(body.amount)
  const phone = msisdnOf(operation === 'collect' ? body.debitParty : body.creditParty)
  if (amount === undefined) return invalid('amount')
  if (body.currency !== mount.currency) return invalid('currency')
  if (phone === '') return invalid(operation === 'collect' ? 'debitParty' : 'creditParty')
  return place(book, call, {
    kind: transactionKind,
    operation,
    phone,
    amount,
    echo: { type, debitParty: body.debitParty, creditParty: body.creditParty },
  })
}

function reverse(
  book: OrderBook,
  call: Call,
  original: Order | undefined,
): Answer | Promise<Answer> {
  if (original === undefined)
    return refusal(404, 'identification', 'identifierError', 'No such transaction')
  const { body, mount } = call
  if (body.type !== 'reversal') return invalid('type')
  if (body.currency !== undefined && body.currency !== mount.currency) return invalid('currency')
  const repeated = findByKey(book, mount, header(call, 'x-correlationid').toLowerCase())
  const left = original.paid - original.reversed
  const amount = body.amount === undefined ? left : amountOfText(body.amount)
  if (amount === undefined) return invalid('amount')
  if (repeated === undefined) {
    if (original.status !== 'succeeded' || original.operation === 'reverse')
      return refusal(400, 'businessRule', 'incorrectState', 'Only what is completed is reversed')
    if (amount > left || amount === 0)
      return refusal(400, 'businessRule', 'greaterThanTransactionMaxValue', `${left} are left`)
  }
  const { debitParty, creditParty } = original.echo
  return place(book, call, {
    kind: transactionKind,
    operation: 'reverse',
    phone: original.phone,
    amount,
    original,
    echo: { type: 'reversal', debitParty: creditParty, creditParty: debitParty },
  })
}

function payBill(
  book: OrderBook,
  kind: OrderKind,
  billers: BillerRecords,
  call: Call,
): Answer | Promise<Answer> {
  const { mount, body, params } = call
  const [, account = '', reference = ''] = params
  const bill = billers.billOf(mount, account, reference)
  if (bill === undefined) return refusal(404, 'identification', 'identifierError', 'No such bill')
  const amount = amountOfText(body.amountPaid)
  if (amount === undefined) return invalid('amountPaid')
  if (body.currency !== mount.currency) return invalid('currency')
  const repeated = findByKey(book, mount, header(call, 'x-correlationid').toLowerCase())
  if (repeated === undefined) {
    if (bill.isPaid) return refusal(400, 'businessRule', 'incorrectState', 'Already paid')
    if (amount !== bill.amount) {
      const code = amount < bill.amount ? 'underPaymentNotAllowed' : 'overPaymentNotAllowed'
      return refusal(400, 'businessRule', code, `The bill is of ${bill.amount}`)
    }
  }
  return place(book, call, {
    kind,
    operation: 'bill',
    phone: lastNineDigits(account),
    amount,
    adaptScript: withoutDelays,
    echo: { type: 'billpay', customerReference: body.customerReference, billReference: reference },
  })
}

type GsmaOrder = Pick<
  OrderRequest,
  'kind' | 'operation' | 'phone' | 'amount' | 'echo' | 'adaptScript' | 'original'
>

function place(book: OrderBook, call: Call, order: GsmaOrder): Answer | Promise<Answer> {
  const key = header(call, 'x-correlationid').toLowerCase()
  const url = header(call, 'x-callback-url')
  if (key !== '' && !uuid.test(key)) return invalid('X-CorrelationID')
  if (url !== '' && !isWebAddress(url)) return invalid('X-Callback-URL')
  const request: OrderRequest = {
    ...order,
    mount: call.mount,
    key,
    isKeyUnique: true,
    clientReference: text(call.body.requestingOrganisationTransactionReference),
    prefix: 'T',
    // The answer to a bill payment is its result: there is no callback.
    callbackUrl: order.operation === 'bill' ? '' : url,
  }
  return placeOrder(book, request, {
    accepted: (order) => (order.operation === 'bill' ? billAnswer(order) : accepted(order)),
    repeated: () => refusal(400, 'businessRule', 'duplicateRequest', 'Already processed'),
  })
}

function accepted(order: Order): Answer {
  return { status: 202, body: requestState(order) }
}

function billAnswer(order: Order): Answer {
  if (order.status === 'failed') return { status: 400, body: errorOf(order.reason) }
  if (order.status === 'pending') return accepted(order)
  return {
    status: 201,
    body: {
      serviceProviderPaymentReference: order.reference,
      requestingOrganisationTransactionReference: order.clientReference,
      customerReference: order.echo.customerReference,
      paymentType: 'fullpayment',
      billPaymentStatus: 'completed',
      amountPaid: String(order.paid),
      currency: order.mount.currency,
      creationDate: new Date(order.createdAt).toISOString(),
    },
  }
}

/** As published: after a success the transaction, after a failure only the error. */
function writeCallback(order: Order, claim: Claim): CallbackRequest {
  const { callbackUrl: url } = order
  const body = claim.status === 'failed' ? errorOf(claim.reason) : transaction(order, claim)
  return {
    method: 'PUT',
    url: claim.isForged ? forgedUrl(url) : url,
    body: JSON.stringify(body),
    isForged: claim.isForged,
  }
}

function requestState(order: Order): Body {
  return {
    serverCorrelationId: stateIdOf(order),
    status: statuses[order.status],
    notificationMethod: order.callbackUrl === '' ? 'polling' : 'callback',
    objectReference: order.reference,
    pollLimit: 100,
    pendingReason: order.status === 'pending' ? 'Waiting for the other party' : undefined,
    error: order.status === 'failed' ? errorOf(order.reason) : undefined,
  }
}

function transaction(order: Order, claim: Pick<Claim, 'status'>): Body {
  const { original, echo } = order
  return {
    transactionReference: order.reference,
    originalTransactionReference: original?.reference,
    requestingOrganisationTransactionReference: order.clientReference,
    amount: String(amountShown(order)),
    currency: order.mount.currency,
    type: echo.type,
    transactionStatus: statuses[claim.status],
    debitParty: echo.debitParty ?? [{ key: 'organisationid', value: order.mount.provider }],
    creditParty: echo.creditParty ?? [{ key: 'organisationid', value: order.mount.provider }],
    creationDate: new Date(order.createdAt).toISOString(),
    modificationDate: new Date(order.completedAt || order.createdAt).toISOString(),
  }
}

function errorOf(reason: Reason = 'failed'): Body {
  const [code, description, cause] = errors[reason]
  return errorBody('businessRule', code, description, cause && [{ key: 'cause', value: cause }])
}

function refusal(status: number, category: string, code: string, description: string): Answer {
  return { status, body: errorBody(category, code, description) }
}

function invalid(field: string): Answer {
  const parameters = [{ key: 'field', value: field }]
  return {
    status: 400,
    body: errorBody('validation', 'formatError', `${field} is not valid`, parameters),
  }
}

function errorBody(
  category: string,
  code: string,
  description: string,
  parameters?: unknown,
): Body {
  return {
    errorCategory: category,
    errorCode: code,
    errorDescription: description,
    // The published schema writes it without the capital.
    errordescription: description,
    errorDateTime: new Date().toISOString(),
    ...(parameters !== undefined && parameters !== '' && { errorParameters: parameters }),
  }
}

function msisdnOf(party: unknown): string {
  if (!Array.isArray(party)) return ''
  const account = party.map(object).find(({ key }) => text(key).toLowerCase() === 'msisdn')
  const number = text(account?.value)
  return isPhone(number) ? number : ''
}

// The id of a request state is a UUID that contains the order's id, so no map is needed.
function stateIdOf({ id }: Order): string {
  const hex = id.toString(16).padStart(20, '0')
  return `${hex.slice(0, 8)}-0000-4000-8000-${hex.slice(8)}`
}

function referenceOfState(stateId: string): string {
  return uuid.test(stateId)
    ? `T${Number.parseInt(stateId.slice(0, 8) + stateId.slice(24), 16)}`
    : ''
}
