import {
  accepted,
  declined,
  notFound,
  pending,
  succeeded,
  unanswered,
  unasked,
  unknown,
  unlisted,
} from '../answers.ts'
import type { Attempt, Inquiry, Outcome } from '../contract.ts'
import type { Answered } from '../http.ts'
import { meaningOf } from '../protocol.ts'
import type { TopUpClient } from './client.ts'
import { payErrorCodes, topUpStatuses } from './status.ts'
import type { PaymentWire } from './wire.ts'
import {
  readCodes,
  readError,
  readPayment,
  readPaymentState,
  readPayments,
  readSubscriber,
  writePayment,
} from './wire.ts'

/** Whose meter it is. A top-up has no bill: there is one entry, without an amount. */
export async function inquire(
  client: TopUpClient,
  billerId: string,
  account: string,
): Promise<Inquiry> {
  const reply = await client.readSubscriber(billerId, account)
  if (reply.kind !== 'answered') return { kind: 'unavailable', reason: reply.reason }
  if (reply.status === 404 && readError(reply.body)?.errorCode === 'SUBSCRIBER_NOT_FOUND')
    return { kind: 'not_found' }
  const meter = reply.status === 200 ? readSubscriber(reply.body) : undefined
  if (meter === undefined)
    return { kind: 'unavailable', reason: `unlisted answer: HTTP ${reply.status}` }
  const bill = {
    reference: '',
    account: meter.accountNumber,
    lastName: meter.lastName ?? '',
    firstName: meter.firstName ?? null,
    amount: 0,
    fee: 0,
    dueOn: null,
    isPaid: false,
    address: meter.address ?? null,
    meterStatus: meter.status ?? null,
  }
  return { kind: 'found', account: meter.accountNumber, bills: [bill] }
}

/** Tops a meter up. */
export async function pay(
  client: TopUpClient,
  billerId: string,
  attempt: Attempt,
): Promise<Outcome> {
  const reply = await client.pay(writePayment(attempt, billerId))
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  const payment = reply.status === 200 ? readPayment(reply.body) : undefined
  if (payment !== undefined) return outcomeOf(attempt, reply, payment)
  const code = readError(reply.body)?.errorCode
  const meaning = meaningOf(payErrorCodes, code)
  if (meaning === undefined || code === undefined) return unlisted(attempt, reply, code)
  if (meaning === 'accepted') return accepted(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, code)
}

/** What became of a top-up, by the provider's id or ours. */
export async function queryPayment(client: TopUpClient, attempt: Attempt): Promise<Outcome> {
  const { reference } = attempt
  const reply =
    reference === null
      ? await client.searchPayment(attempt.id)
      : await client.readPayment(reference)
  if (reply.kind !== 'answered') return unasked(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply, readError(reply.body)?.errorCode)
  if (reference !== null) {
    const state = readPaymentState(reply.body)
    return state === undefined
      ? unlisted(attempt, reply)
      : outcomeOf(attempt, reply, state.transaction)
  }
  const found = readPayments(reply.body)?.content
  const [first, ...others] = found ?? []
  if (found === undefined) return unlisted(attempt, reply)
  if (first === undefined) return notFound(attempt, reply)
  if (others.length > 0) return unknown(attempt, reply, 'more than one order of this id')
  return outcomeOf(attempt, reply, first)
}

function outcomeOf(attempt: Attempt, reply: Answered, payment: PaymentWire): Outcome {
  const { id, status, amount, amountCurrencyCode: currency, billDetails } = payment
  const reference = String(id)
  const known = { ...attempt, reference }
  const meaning = meaningOf(topUpStatuses, status)
  if (meaning === undefined) return unlisted(known, reply, status)
  if (meaning === 'pending') return pending(known, reply, reference)
  if (meaning === 'declined') return declined(known, reply, meaning, status)
  const token = billDetails?.pinDetails?.token?.trim()
  // Paid is not done: without its code the customer has nothing. Asked for again.
  if (!token) return unknown(known, reply, 'success without a recharge code')
  return succeeded(known, reply, { reference, amount, currency, tokens: readCodes(token) })
}
