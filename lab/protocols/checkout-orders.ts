import { createHmac, randomUUID } from 'node:crypto'
import type { Claim, Order, OrderBook, OrderKind, OrderRequest } from '../order.ts'
import { declineOfRepeats, defineKind, isHidden, placeOrder } from '../order-book.ts'
import type { Answer, Call } from '../router.ts'
import { resumeHeld, runDueSteps } from '../run-script.ts'
import type { Reason } from '../script.ts'

/** The secret that signs webhooks; forged ones are signed with the other. */
const webhookSecret = 'lab_checkout_secret'
const forgerSecret = 'lab_wrong_secret'

/** What sessions and payouts share. */
export interface CheckoutContext {
  book: OrderBook
  /** The lab's own URL, where payment pages are. */
  url: string
  webhookUrl: () => string | undefined
  byClientReference: Map<string, Order[]>
  kinds: { session: OrderKind; payout: OrderKind; refund: OrderKind }
}

/** Writes a session or a payout, with its true status or the one that a webhook claims. */
export type WriteOrder = (order: Order, claim: Pick<Claim, 'status' | 'reason'>) => object

interface CheckoutKind {
  name: string
  payerMs?: number
  writeOrder: WriteOrder
  /** The types of the webhook events. */
  events: [succeeded: string, failed: string]
}

/** A kind of orders that have signed webhooks and can be searched by their client reference. */
export function checkoutKind(
  book: OrderBook,
  byClientReference: CheckoutContext['byClientReference'],
  { name, payerMs, writeOrder, events: [succeeded, failed] }: CheckoutKind,
): OrderKind {
  return defineKind(book, {
    name,
    ...(payerMs !== undefined && { payerMs }),
    writeCallback: (order, claim) => {
      const type = claim.status === 'succeeded' ? succeeded : failed
      return writeWebhook(order.callbackUrl, type, writeOrder(order, claim), claim)
    },
    entered: (order) => {
      const searchKey = searchKeyOf(order.mount.path, order.operation, order.clientReference)
      const same = byClientReference.get(searchKey)
      if (same === undefined) byClientReference.set(searchKey, [order])
      else same.push(order)
    },
  })
}

/** Places an order whose webhooks go to the address that is set now. */
export function placeCheckoutOrder(
  { book, webhookUrl, byClientReference }: CheckoutContext,
  request: OrderRequest,
  writeOrder: WriteOrder,
  repeated?: (first: Order) => Answer,
): Answer | Promise<Answer> {
  // A session has no key: what repeats it has the same reference of the client.
  const { mount, operation, clientReference } = request
  const same = byClientReference.get(searchKeyOf(mount.path, operation, clientReference))
  const reason = declineOfRepeats(same?.[0])
  if (reason !== undefined) return declined(reason)
  return placeOrder(
    book,
    { ...request, callbackUrl: webhookUrl() ?? '' },
    {
      accepted: (order) => ({ status: 200, body: writeOrder(order, order) }),
      ...(repeated && { repeated }),
      declined,
    },
  )
}

/** All orders of a client reference. */
export function searchOrders(
  context: CheckoutContext,
  { mount, query }: Call,
  operation: 'collect' | 'disburse',
  writeOrder: WriteOrder,
): Answer {
  const searchKey = searchKeyOf(mount.path, operation, query.get('client_reference') ?? '')
  const found = context.byClientReference.get(searchKey) ?? []
  for (const order of found) runDueSteps(context.book, resumeHeld(order))
  const shown = found.filter((order) => !isHidden(order))
  return { status: 200, body: { result: shown.map((order) => writeOrder(order, order)) } }
}

function searchKeyOf(path: string, operation: string, clientReference: string): string {
  return `${path} ${operation} ${clientReference}`
}

function writeWebhook(url: string, type: string, data: object, { isForged }: Claim) {
  const body = JSON.stringify({ id: `EV_${randomUUID().replaceAll('-', '')}`, type, data })
  const time = String(Math.floor(Date.now() / 1000))
  const secret = isForged ? forgerSecret : webhookSecret
  const signature = createHmac('sha256', secret).update(time).update(body).digest('hex')
  const headers = { 'checkout-signature': `t=${time},v1=${signature}` }
  return { method: 'POST', url, headers, body, isForged } as const
}

/** An error answer in this protocol's format. */
export function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } }
}

/** The answer to a repetition that is declined. */
export function declined(reason: Reason): Answer {
  const code = reason === 'insufficient_funds' ? 'insufficient-funds' : 'recipient-refused'
  return refusal(400, code, 'Declined')
}

/** The answer to a request with an invalid field. */
export function invalid(message: string): Answer {
  return refusal(400, 'request-validation-error', message)
}
