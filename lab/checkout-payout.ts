import type { Describe, Shop } from './checkout-shop.ts'
import { invalid, refusal, search, take } from './checkout-shop.ts'
import type { Answer, Call } from './http.ts'
import { amountOfText, header, isPhone, text } from './http.ts'
import type { Order } from './orders.ts'
import { amountShown, findByReference } from './orders.ts'
import type { Reason } from './scenarios.ts'

const errorCodes: Record<Reason, string> = {
  insufficient_funds: 'insufficient-funds',
  refused: 'recipient-refused',
  expired: 'payout-failed',
  payee_refused: 'recipient-refused',
  failed: 'payout-failed',
}

/** Pays out; the same key and body give the same payout again, another body a conflict. */
export function createPayout(shop: Shop, call: Call): Answer | Promise<Answer> {
  const { mount, body } = call
  const { currency, receive_amount, mobile, name = null } = body
  const key = header(call, 'idempotency-key')
  const amount = amountOfText(receive_amount)
  const clientReference = text(body.client_reference)
  if (key === '') return invalid('The header idempotency-key is needed')
  if (amount === undefined) return invalid('receive_amount: whole francs as text')
  if (currency !== mount.currency) return invalid(`currency: ${mount.currency}`)
  if (!isPhone(text(mobile))) return invalid('mobile: a phone number')
  const isSame = (first: Order) =>
    first.operation === 'disburse' &&
    first.amount === amount &&
    first.phone === mobile &&
    first.echo.name === name &&
    first.clientReference === clientReference

  return take(
    shop,
    {
      mount,
      operation: 'disburse',
      key,
      isKeyUnique: true,
      clientReference,
      phone: text(mobile),
      amount,
      prefix: 'pt-',
      echo: { mobile, name },
    },
    payout,
    ['payout.completed', 'payout.failed'],
    (first) =>
      isSame(first)
        ? { status: 200, body: payout(first, first) }
        : refusal(409, 'idempotency-mismatch', 'The key was used for something else'),
  )
}

/** One payout, by its id. */
export function readPayout({ books }: Shop, { mount, params: [id = ''] }: Call): Answer {
  const order = findByReference(books, mount, id)
  return order?.operation === 'disburse'
    ? { status: 200, body: payout(order, order) }
    : refusal(404, 'payout-not-found', 'No such payout')
}

/** All payouts of one client reference. */
export function searchPayouts(shop: Shop, call: Call): Answer {
  return search(shop, call, 'disburse', payout)
}

const payout: Describe = (order, { status, reason }) => {
  const code = errorCodes[reason ?? 'failed']
  return {
    id: order.reference,
    status: status === 'pending' ? 'processing' : status,
    receive_amount: String(amountShown(order)),
    fee: '0',
    currency: order.mount.currency,
    ...order.echo,
    client_reference: order.clientReference,
    ...(status === 'failed' && {
      payout_error: { error_code: code, error_message: code.replaceAll('-', ' ') },
    }),
    timestamp: new Date(order.createdAt).toISOString(),
  }
}
