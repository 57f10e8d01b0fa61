import { amountOfText, header, isPhone, text } from '../fields.ts'
import type { Order } from '../order.ts'
import { amountShown, findByReference } from '../order-book.ts'
import type { Answer, Call } from '../router.ts'
import type { Reason } from '../script.ts'
import {
  type CheckoutContext,
  invalid,
  placeCheckoutOrder,
  refusal,
  searchOrders,
  type WriteOrder,
} from './checkout-orders.ts'

const errorCodes: Record<Reason, string> = {
  insufficient_funds: 'insufficient-funds',
  refused: 'recipient-refused',
  expired: 'payout-failed',
  payee_refused: 'recipient-refused',
  failed: 'payout-failed',
}

/** Creates a payout; the same key and body return the same payout, another body is a conflict. */
export function createPayout(context: CheckoutContext, call: Call): Answer | Promise<Answer> {
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

  return placeCheckoutOrder(
    context,
    {
      mount,
      kind: context.kinds.payout,
      operation: 'disburse',
      key,
      isKeyUnique: true,
      clientReference,
      phone: text(mobile),
      amount,
      prefix: 'pt-',
      echo: { mobile, name },
    },
    writePayout,
    (first) =>
      isSame(first)
        ? { status: 200, body: writePayout(first, first) }
        : refusal(409, 'idempotency-mismatch', 'The key was used for something else'),
  )
}

/** The payout with this id. */
export function readPayout({ book }: CheckoutContext, { mount, params: [id = ''] }: Call): Answer {
  const order = findByReference(book, mount, id)
  return order?.operation === 'disburse'
    ? { status: 200, body: writePayout(order, order) }
    : refusal(404, 'payout-not-found', 'No such payout')
}

/** All payouts of one client reference. */
export function searchPayouts(context: CheckoutContext, call: Call): Answer {
  return searchOrders(context, call, 'disburse', writePayout)
}

/** Writes a payout. */
export const writePayout: WriteOrder = (order, { status, reason }) => {
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
