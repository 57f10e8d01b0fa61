import { createPayout, readPayout, searchPayouts } from './checkout-payout.ts'
import type { Describe, Shop } from './checkout-shop.ts'
import { invalid, refusal, search, take } from './checkout-shop.ts'
import type { Answer, Call, Protocol } from './http.ts'
import { amountOfText, header, isWebAddress, text } from './http.ts'
import type { Books, Order } from './orders.ts'
import { amountShown, findByKey, findByReference, placeOrder } from './orders.ts'
import { letGo, play, rewrite } from './play.ts'
import type { Reason, Script } from './scenarios.ts'
import { faults, onceSomebodyAsks, scriptOf, withoutDelays } from './scenarios.ts'

const payerMs = 3000
const lifetimeMs = 1_800_000
const paymentWords = { pending: 'processing', succeeded: 'succeeded', failed: 'cancelled' }

// A refusal and an expiry are not payment errors: the session's own words tell them apart.
const errorCodes: Partial<Record<Reason, string>> = {
  insufficient_funds: 'insufficient-funds',
  payee_refused: 'payment-failure',
  failed: 'payment-failure',
}

/** Checkout sessions on a page of ours, refunds, and payouts, with signed webhooks. */
export function checkoutSession(
  books: Books,
  url: () => string,
  webhookUrl: () => string | undefined,
): Protocol {
  const shop: Shop = { books, url, webhookUrl, byClientReference: new Map() }
  const guarded = (handle: (shop: Shop, call: Call) => Answer | Promise<Answer>) => (call: Call) =>
    /^Bearer \S/.test(header(call, 'authorization'))
      ? handle(shop, call)
      : refusal(401, 'missing-auth-header', 'A bearer key is needed')
  return {
    malformed: invalid('The body is not JSON'),
    routes: {
      'POST /v1/checkout/sessions': guarded(createSession),
      'GET /v1/checkout/sessions/search': guarded((shop, call) =>
        search(shop, call, 'collect', sessionAt(shop)),
      ),
      'GET /v1/checkout/sessions/:id': guarded(readSession),
      'POST /v1/checkout/sessions/:id/expire': guarded(expireSession),
      'POST /v1/checkout/sessions/:id/refund': guarded(refundSession),
      'POST /v1/payout': guarded(createPayout),
      'GET /v1/payout/:id': guarded(readPayout),
      'GET /v1/payouts/search': guarded(searchPayouts),
    },
  }
}

function createSession(shop: Shop, { mount, body }: Call): Answer | Promise<Answer> {
  const { success_url, error_url } = body
  const amount = amountOfText(body.amount)
  if (amount === undefined) return invalid('amount: whole francs as text')
  if (body.currency !== mount.currency) return invalid(`currency: ${mount.currency}`)
  if (!isWebAddress(text(success_url))) return invalid('success_url: an http address')
  if (!isWebAddress(text(error_url))) return invalid('error_url: an http address')
  const clientReference = text(body.client_reference)
  return take(
    shop,
    {
      mount,
      operation: 'collect',
      key: clientReference,
      isKeyUnique: false,
      clientReference,
      phone: text(body.restrict_payer_mobile),
      amount,
      prefix: 'cos-',
      payerMs,
      adapt: seenBySomebody,
      echo: {
        success_url,
        error_url,
        aggregated_merchant_id: body.aggregated_merchant_id ?? null,
        restrict_payer_mobile: body.restrict_payer_mobile ?? null,
      },
    },
    sessionAt(shop),
    ['checkout.session.completed', 'checkout.session.payment_failed'],
  )
}

// Nobody pays on a page whose address got lost on the way: a random fault leaves it waiting until
// the client looks it up. (The number that loses its answer is paid nevertheless.)
function seenBySomebody(script: Script): Script {
  const isUnseen =
    script === scriptOf(faults.lost_answer) || script === scriptOf(faults.error_after)
  return isUnseen ? onceSomebodyAsks(script) : script
}

function readSession(shop: Shop, call: Call): Answer {
  const order = sessionOf(shop, call)
  return order ? { status: 200, body: sessionAt(shop)(order, order) } : unknownSession
}

function expireSession(shop: Shop, call: Call): Answer {
  const order = sessionOf(shop, call)
  if (order === undefined) return unknownSession
  if (order.status !== 'pending') return refusal(409, 'session-not-open', 'It is over already')
  rewrite(shop.books, order, [{ do: 'decline', reason: 'expired' }])
  return { status: 200 }
}

function refundSession(shop: Shop, call: Call): Answer | Promise<Answer> {
  const { mount, body } = call
  const original = sessionOf(shop, call)
  if (original === undefined) return unknownSession
  const key = header(call, 'idempotency-key')
  const left = original.paid - original.reversed
  const amount = body.amount === undefined ? left : amountOfText(body.amount)
  if (amount === undefined) return invalid('amount: whole francs as text')
  if (key === '' || findByKey(shop.books, mount, key) === undefined) {
    if (original.status !== 'succeeded')
      return refusal(400, 'checkout-refund-failed', 'The session was not paid')
    if (amount > left || amount === 0)
      return refusal(400, 'checkout-refund-failed', `${left} are left to refund`)
  }
  return placeOrder(
    shop.books,
    {
      mount,
      operation: 'reverse',
      key,
      isKeyUnique: true,
      clientReference: original.clientReference,
      phone: original.phone,
      amount,
      prefix: 're-',
      original,
      adapt: withoutDelays,
      echo: {},
    },
    {
      taken: ({ status }) =>
        status === 'failed'
          ? refusal(400, 'checkout-refund-failed', 'The refund failed')
          : { status: 200, body: {} },
    },
  )
}

function sessionOf({ books }: Shop, { mount, params: [id = ''] }: Call): Order | undefined {
  const order = findByReference(books, mount, id)
  return order?.operation === 'collect' ? play(books, letGo(order)) : undefined
}

/** Writes sessions whose pages are at this shop's address. */
function sessionAt({ url }: Shop): Describe {
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
      payment_status: paymentWords[status],
      last_payment_error: code === undefined ? null : { code, message: code.replaceAll('-', ' ') },
      transaction_id: status === 'succeeded' ? `TCN${order.id}` : null,
      launch_url: `${url()}/checkout/${order.reference}`,
      refunded_amount: String(order.reversed),
      when_created: new Date(order.createdAt).toISOString(),
      when_completed: order.completedAt ? new Date(order.completedAt).toISOString() : null,
      when_expires: new Date(order.createdAt + lifetimeMs).toISOString(),
    }
  }
}

const unknownSession = refusal(404, 'checkout-session-not-found', 'No such session')
