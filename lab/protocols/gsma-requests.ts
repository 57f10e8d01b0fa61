import { header, isWebAddress, text } from '../fields.ts'
import type { Order, OrderBook, OrderRequest } from '../order.ts'
import { findByReference, placeOrder, searchByKey } from '../order-book.ts'
import type { Answer, Body, Call, Routes } from '../router.ts'
import type { Reason } from '../script.ts'
import { alreadyProcessed, errorOf, invalid, notFound } from './gsma-errors.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The words of this protocol for the status of an order. */
export const statuses = { pending: 'pending', succeeded: 'completed', failed: 'failed' } as const

/** What is wrong with the headers of a request that creates something. */
function headerProblem(call: Call): Answer | undefined {
  const url = header(call, 'x-callback-url')
  const key = header(call, 'x-correlationid')
  if (key !== '' && !uuid.test(key)) return invalid('X-CorrelationID')
  return url !== '' && !isWebAddress(url) ? invalid('X-Callback-URL') : undefined
}

/** The correlation id of a request, in lower case. */
export function keyOf(call: Call): string {
  return header(call, 'x-correlationid').toLowerCase()
}

/** What a resource says of the order that a request places. */
export type GsmaOrder = Pick<
  OrderRequest,
  'kind' | 'operation' | 'phone' | 'amount' | 'echo' | 'adaptScript' | 'original'
>

/** Places the order of a request. */
export function placeRequest(
  book: OrderBook,
  call: Call,
  order: GsmaOrder,
  accepted: (order: Order) => Answer = acceptedAnswer,
): Answer | Promise<Answer> {
  const problem = headerProblem(call)
  if (problem !== undefined) return problem
  const request: OrderRequest = {
    ...order,
    mount: call.mount,
    key: keyOf(call),
    isKeyUnique: true,
    clientReference: text(call.body.requestingOrganisationTransactionReference),
    prefix: 'T',
    callbackUrl: header(call, 'x-callback-url'),
  }
  return placeOrder(book, request, { accepted, repeated: alreadyProcessed, declined })
}

const declined = (reason: Reason) => ({ status: 400, body: errorOf(reason) })

/** The answer to an order whose result follows. */
export function acceptedAnswer(order: Order): Answer {
  return { status: 202, body: stateOfOrder(order) }
}

/** The states of requests, and the links to what a client's request created. */
export function gsmaRequests(book: OrderBook): Routes {
  return {
    'GET /requeststates/:id': ({ mount, params: [id = ''] }) => {
      if (!uuid.test(id)) return invalid('serverCorrelationId')
      const order = findByReference(book, mount, referenceOfState(id))
      return order ? { status: 200, body: stateOfOrder(order) } : notFound()
    },
    'GET /responses/:id': ({ mount, params: [id = ''] }) => {
      if (!uuid.test(id)) return invalid('clientCorrelationId')
      const order = searchByKey(book, mount, id.toLowerCase())
      return order
        ? { status: 200, body: { link: `/transactions/${order.reference}` } }
        : notFound()
    },
  }
}

function stateOfOrder(order: Order): Body {
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

// The id of an order's request state is a UUID that contains the order's id, so no map is needed.
function stateIdOf({ id }: Order): string {
  const hex = id.toString(16).padStart(20, '0')
  return `${hex.slice(0, 8)}-0000-4000-8000-${hex.slice(8)}`
}

function referenceOfState(stateId: string): string {
  return `T${Number.parseInt(stateId.slice(0, 8) + stateId.slice(24), 16)}`
}
