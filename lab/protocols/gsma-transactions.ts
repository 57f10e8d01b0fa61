import { type CallbackRequest, forgedUrl } from '../callback-sender.ts'
import { amountOfText, isPhone, object, text } from '../fields.ts'
import type { Claim, Operation, Order, OrderBook, OrderKind } from '../order.ts'
import { amountShown, defineKind, findByKey, findByReference } from '../order-book.ts'
import type { Answer, Body, Call, Routes } from '../router.ts'
import { errorOf, invalid, notFound, refusal, wrongState } from './gsma-errors.ts'
import { type GsmaOrder, keyOf, placeRequest, statuses } from './gsma-requests.ts'

/** What the client does in a transaction of each type: it collects, or it pays out. */
const operations = new Map<string, Operation>([
  ['merchantpay', 'collect'],
  ['disbursement', 'disburse'],
])

/** Payments to us and from us, and their reversals. */
export function gsmaTransactions(book: OrderBook): Routes {
  defineKind(book, transactionKind)
  const transactionOf = ({ mount, params }: Call) => findByReference(book, mount, params[0] ?? '')
  return {
    'POST /transactions/type/:type': (call) => {
      const order = readTransaction(call, call.params[0] ?? '')
      return 'status' in order ? order : placeRequest(book, call, order)
    },
    'POST /transactions/:reference/reversals': (call) => reverse(book, call, transactionOf(call)),
    'GET /transactions/:reference': (call) => {
      const order = transactionOf(call)
      return order ? { status: 200, body: writeTransaction(order, order) } : notFound()
    },
  }
}

const transactionKind: OrderKind = {
  name: 'gsma transaction',
  writeCallback: (order, claim) => gsmaCallback(order, claim, writeTransaction(order, claim)),
}

/** The order that a transaction asks for, or the answer that refuses it. */
function readTransaction({ mount, body }: Call, type: string): GsmaOrder | Answer {
  const operation = operations.get(type)
  if (operation === undefined) return invalid('type')
  const amount = amountOfText(body.amount)
  const phone = customerOf(operation === 'collect' ? body.debitParty : body.creditParty)
  if (amount === undefined) return invalid('amount')
  if (body.currency !== mount.currency) return invalid('currency')
  if (phone === '') return invalid(operation === 'collect' ? 'debitParty' : 'creditParty')
  const echo = { type, debitParty: body.debitParty, creditParty: body.creditParty }
  return { kind: transactionKind, operation, phone, amount, echo }
}

/** The number of a party, which must be one; else its first other identifier. */
function customerOf(party: unknown): string {
  if (!Array.isArray(party)) return ''
  const accounts = party.map(object)
  const phone = accounts.find(({ key }) => text(key).toLowerCase() === 'msisdn')
  if (phone !== undefined) return isPhone(text(phone.value)) ? text(phone.value) : ''
  return text(accounts.find(({ key, value }) => text(key) !== '' && text(value) !== '')?.value)
}

function reverse(
  book: OrderBook,
  call: Call,
  original: Order | undefined,
): Answer | Promise<Answer> {
  if (original === undefined) return notFound('No such transaction')
  const { body, mount } = call
  if (body.type !== 'reversal') return invalid('type')
  if (body.currency !== undefined && body.currency !== mount.currency) return invalid('currency')
  const repeated = findByKey(book, mount, keyOf(call))
  const left = original.paid - original.reversed
  const amount = body.amount === undefined ? left : amountOfText(body.amount)
  if (amount === undefined) return invalid('amount')
  if (repeated === undefined) {
    if (original.status !== 'succeeded' || original.operation === 'reverse')
      return wrongState('Only what is completed is reversed')
    if (amount > left || amount === 0)
      return refusal(400, 'businessRule', 'greaterThanTransactionMaxValue', `${left} are left`)
  }
  const { debitParty, creditParty } = original.echo
  return placeRequest(book, call, {
    kind: transactionKind,
    operation: 'reverse',
    phone: original.phone,
    amount,
    original,
    echo: { type: 'reversal', debitParty: creditParty, creditParty: debitParty },
  })
}

/** As published: after a success the resource, after a failure only the error. */
export function gsmaCallback(order: Order, claim: Claim, resource: Body): CallbackRequest {
  const { callbackUrl: url } = order
  return {
    method: 'PUT',
    url: claim.isForged ? forgedUrl(url) : url,
    body: JSON.stringify(claim.status === 'failed' ? errorOf(claim.reason) : resource),
    isForged: claim.isForged,
  }
}

/** A transaction, with its true status or the one that a callback claims. */
function writeTransaction(order: Order, claim: Pick<Claim, 'status'>): Body {
  const { original, echo } = order
  return {
    transactionReference: order.reference,
    originalTransactionReference: original?.reference,
    requestingOrganisationTransactionReference: order.clientReference,
    amount: String(amountShown(order)),
    currency: order.mount.currency,
    type: echo.type,
    transactionStatus: statuses[claim.status],
    debitParty: partyOf(order, 'debitParty'),
    creditParty: partyOf(order, 'creditParty'),
    creationDate: new Date(order.createdAt).toISOString(),
    modificationDate: new Date(order.completedAt || order.createdAt).toISOString(),
  }
}

/** A party of an order; the provider itself where the client named none. */
function partyOf({ echo, mount }: Order, side: 'debitParty' | 'creditParty'): unknown {
  return echo[side] ?? [{ key: 'organisationid', value: mount.provider }]
}
