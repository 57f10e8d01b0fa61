import { meaningOf } from '../code-table.ts'
import type { Attempt, Inquiry, Outcome } from '../contract.ts'
import type { HttpResponse } from '../http-client.ts'
import {
  declined,
  outcomeOfCode,
  outcomeOfSearch,
  pending,
  queryUnanswered,
  submitUnanswered,
  succeeded,
  unknown,
  unlisted,
} from '../outcomes.ts'
import type { TopUpClient } from './client.ts'
import { payErrorCodes, topUpStatuses } from './status.ts'
import {
  type PaymentWire,
  readCodes,
  readError,
  readPayment,
  readPaymentState,
  readPayments,
  readSubscriber,
  writePayment,
} from './wire.ts'

/** The holder of a meter, as the only bill of the answer: its amount is 0, the customer chooses. */
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

/** Tops up a meter. */
export async function payMeter(
  client: TopUpClient,
  billerId: string,
  attempt: Attempt,
): Promise<Outcome> {
  const reply = await client.pay(writePayment(attempt, billerId))
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  const payment = reply.status === 200 ? readPayment(reply.body) : undefined
  if (payment !== undefined) return outcomeOfPayment(attempt, reply, payment)
  return outcomeOfCode(attempt, reply, payErrorCodes, readError(reply.body)?.errorCode)
}

/** Reads the state of a top-up, by the provider's id or ours. */
export async function queryMeterPayment(client: TopUpClient, attempt: Attempt): Promise<Outcome> {
  const { reference } = attempt
  const reply =
    reference === null
      ? await client.searchPayment(attempt.id)
      : await client.readPayment(reference)
  if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply, readError(reply.body)?.errorCode)
  if (reference !== null) {
    const state = readPaymentState(reply.body)
    return state === undefined
      ? unlisted(attempt, reply)
      : outcomeOfPayment(attempt, reply, state.transaction)
  }
  return outcomeOfSearch(attempt, reply, readPayments(reply.body)?.content, (found) =>
    outcomeOfPayment(attempt, reply, found),
  )
}

function outcomeOfPayment(attempt: Attempt, reply: HttpResponse, payment: PaymentWire): Outcome {
  const { id, status, amount, amountCurrencyCode: currency, billDetails } = payment
  const reference = String(id)
  const known = { ...attempt, reference }
  const meaning = meaningOf(topUpStatuses, status)
  if (meaning === undefined) return unlisted(known, reply, status)
  if (meaning === 'pending') return pending(known, reply, reference)
  if (meaning === 'declined') return declined(known, reply, meaning, status)
  const token = billDetails?.pinDetails?.token?.trim()
  // Without the recharge code the customer has nothing: `unknown`, so that it is queried again.
  if (!token) return unknown(known, reply, 'success without a recharge code')
  return succeeded(known, reply, { reference, amount, currency, tokens: readCodes(token) })
}
