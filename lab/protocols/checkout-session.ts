import { amountOfText, header, isWebAddress, text } from '../fields.ts'
import { floatAt } from '../float.ts'
import type { Order, OrderBook } from '../order.ts'
import { amountShown, defineKind, findByKey, findByReference, placeOrder } from '../order-book.ts'
import type { Answer, Call, Protocol } from '../router.ts'
import { replaceScript, resumeHeld, runDueSteps } from '../run-script.ts'
import { faults } from '../scenarios.ts'
import { type Reason, type Script, scriptOf, waitingForQuery, withoutDelays } from '../script.ts'
import {
  type CheckoutContext,
  checkoutKind,
  invalid,
  placeCheckoutOrder,
  refusal,
  searchOrders,
  type WriteOrder,
} from './checkout-orders.ts'
import { createPayout, readPayout, searchPayouts, writePayout } from './checkout-payouts.ts'

const payerMs = 3000
const lifetimeMs = 1_800_000
const paymentStatuses = { pending: 'processing', succeeded: 'succeeded', failed: 'cancelled' }

// A refusal and an expiry are not payment errors: the session's statuses distinguish them.
const errorCodes: Partial<Record<Reason, string>> = {
  insufficient_funds: 'insufficient-funds',
  payee_refused: 'payment-failure',
  failed: 'payment-failure',
}

/** Checkout sessions with a payment page, refunds, and payouts, with signed webhooks. */
export function checkoutSession(
  book: OrderBook,
  url: string,
  webhookUrl: () => string | undefined,
): Protocol {
  const byClientReference = new Map<string, Order[]>()
  const kinds = {
    session: checkoutKind(book, byClientReference, {
      name: 'checkout session',
      payerMs,
      writeOrder: sessionWriter({ url }),
      events: ['checkout.session.completed', 'checkout.session.payment_failed'],
    }),
    payout: checkoutKind(book, byClientReference, {
      name: 'checkout payout',
      writeOrder: writePayout,
      events: ['payout.completed', 'payout.failed'],
    }),
    refund: defineKind(book, { name: 'checkout refund' }),
  }
  const context: CheckoutContext = { book, url, webhookUrl, byClientReference, kinds }
  const guarded =
    (handle: (context: CheckoutContext, call: Call) => Answer | Promise<Answer>) => (call: Call) =>
      /^Bearer \S/.test(header(call, 'authorization'))
        ? handle(context, call)
        : refusal(401, 'missing-auth-header', 'A bearer key is needed')
  return {
    malformed: () => invalid('The body is not JSON'),
    unknownPath: () => refusal(404, 'not-found', 'There is no such address'),
    routes: {
      'POST /v1/checkout/sessions': guarded(createSession),
      'GET /v1/checkout/sessions/search': guarded((context, call) =>
        searchOrders(context, call, 'collect', sessionWriter(context)),
      ),
      'GET /v1/checkout/sessions/:id': guarded(readSession),
      'POST /v1/checkout/sessions/:id/expire': guarded(expireSession),
      'POST /v1/checkout/sessions/:id/refund': guarded(refundSession),
      'GET /v1/balance': guarded(readBalance),
      'POST /v1/payout': guarded(createPayout),
      'GET /v1/payout/:id': guarded(readPayout),
      'GET /v1/payouts/search': guarded(searchPayouts),
    },
  }
}

function readBalance({ book }: CheckoutContext, { mount }: Call): Answer {
  for (const order of book.orders) if (order.mount === mount) runDueSteps(book, order)
  const amount = String(Math.max(0, floatAt(book, mount.path)))
  return { status: 200, body: { amount, currency: mount.currency } }
}

function createSession(context: CheckoutContext, { mount, body }: Call): Answer | Promise<Answer> {
  const { success_url, error_url } = body
  const amount = amountOfText(body.amount)
  if (amount === undefined) return invalid('amount: whole francs as text')
  if (body.currency !== mount.currency) return invalid(`currency: ${mount.currency}`)
  if (!isWebAddress(text(success_url))) return invalid('success_url: an http address')
  if (!isWebAddress(text(error_url))) return invalid('error_url: an http address')
  const clientReference = text(body.client_reference)
  return placeCheckoutOrder(
    context,
    {
      mount,
      kind: context.kinds.session,
      operation: 'collect',
      key: clientReference,
      isKeyUnique: false,
      clientReference,
      phone: text(body.restrict_payer_mobile),
      amount,
      prefix: 'cos-',
      adaptScript: heldWithoutUrl,
      echo: {
        success_url,
        error_url,
        aggregated_merchant_id: body.aggregated_merchant_id ?? null,
        restrict_payer_mobile: body.restrict_payer_mobile ?? null,
      },
    },
    sessionWriter(context),
  )
}

// Nobody pays on a page whose URL the client never got: after a random fault that loses the answer
// the session waits until the client looks it up. (The demo number that loses its answer is paid
// nevertheless.)
function heldWithoutUrl(script: Script): Script {
  const isUrlLost =
    script === scriptOf(faults.lost_answer) || script === scriptOf(faults.error_after)
  return isUrlLost ? waitingForQuery(script) : script
}

function readSession(context: CheckoutContext, call: Call): Answer {
  const order = sessionOf(context, call)
  return order ? { status: 200, body: sessionWriter(context)(order, order) } : unknownSession
}

function expireSession(context: CheckoutContext, call: Call): Answer {
  const order = sessionOf(context, call)
  if (order === undefined) return unknownSession
  if (order.status !== 'pending') return refusal(409, 'session-not-open', 'It is over already')
  replaceScript(context.book, order, [{ do: 'decline', reason: 'expired' }])
  return { status: 200 }
}

function refundSession(context: CheckoutContext, call: Call): Answer | Promise<Answer> {
  const { mount, body } = call
  const original = sessionOf(context, call)
  if (original === undefined) return unknownSession
  const key = header(call, 'idempotency-key')
  const left = original.paid - original.reversed
  const amount = body.amount === undefined ? left : amountOfText(body.amount)
  if (amount === undefined) return invalid('amount: whole francs as text')
  if (key === '' || findByKey(context.book, mount, key) === undefined) {
    if (original.status !== 'succeeded')
      return refusal(400, 'checkout-refund-failed', 'The session was not paid')
    if (amount > left || amount === 0)
      return refusal(400, 'checkout-refund-failed', `${left} are left to refund`)
  }
  return placeOrder(
    context.book,
    {
      mount,
      kind: context.kinds.refund,
      operation: 'reverse',
      key,
      isKeyUnique: true,
      clientReference: original.clientReference,
      phone: original.phone,
      amount,
      prefix: 're-',
      original,
      adaptScript: withoutDelays,
      echo: {},
    },
    {
      accepted: ({ status }) =>
        status === 'failed'
          ? refusal(400, 'checkout-refund-failed', 'The refund failed')
          : { status: 200, body: {} },
      declined: () => refusal(400, 'checkout-refund-failed', 'The refund failed'),
    },
  )
}

function sessionOf(
  { book }: CheckoutContext,
  { mount, params: [id = ''] }: Call,
): Order | undefined {
  const order = findByReference(book, mount, id)
  return order?.operation === 'collect' ? runDueSteps(book, resumeHeld(order)) : undefined
}

/** A function that writes sessions, with the lab's URL in their page addresses. */
function sessionWriter({ url }: Pick<CheckoutContext, 'url'>): WriteOrder {
  return (order, { status, reason = 'failed' }) => {
    const code = status === 'failed' ? errorCodes[reason] : undefined
    const ended = status === 'failed' && reason === 'expired' ? 'expired' : 'complete'
    return {
      id: order.reference,
      amount: String(amountShown(order)),
      currency: order.mount.currency,
      client_reference: order.clientReference,
      ...order.echo,
      checkout_status: status === 'pending' ? 'open' : ended,
      payment_status: paymentStatuses[status],
      last_payment_error: code === undefined ? null : { code, message: code.replaceAll('-', ' ') },
      transaction_id: status === 'succeeded' ? `TCN${order.id}` : null,
      launch_url: `${url}/checkout/${order.reference}`,
      refunded_amount: String(order.reversed),
      when_created: new Date(order.createdAt).toISOString(),
      when_completed: order.completedAt ? new Date(order.completedAt).toISOString() : null,
      when_expires: new Date(order.createdAt + lifetimeMs).toISOString(),
    }
  }
}

const unknownSession = refusal(404, 'checkout-session-not-found', 'No such session')
