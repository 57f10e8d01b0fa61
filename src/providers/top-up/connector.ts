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
import type { Attempt, Outcome } from '../contract.ts'
import type { Answered } from '../http.ts'
import type { Protocol } from '../protocol.ts'
import { meaningOf, usualCapability } from '../protocol.ts'
import type { TopUpClient } from './client.ts'
import { openClient } from './client.ts'
import { errorCodes, topUpStatuses } from './status.ts'
import { inquire, pay, queryPayment } from './utilities.ts'
import type { TopUpWire } from './wire.ts'
import { readError, readOrder, readReport, readStatus, writeTopUp } from './wire.ts'

/**
 * Airtime, and prepaid meters, by order and polling. `reference` is the provider's transaction id.
 * `operatorId` is the number of the operator, or of the biller, that the provider is bound for.
 */
export const topUp: Protocol = {
  name: 'top-up',
  capabilities: { top_up: usualCapability, pay_bill: usualCapability },
  credentialNames: ['clientId', 'clientSecret', 'audience', 'operatorId'],
  probePath: '/',
  open: (send, credentials) => {
    const client = openClient(send, credentials)
    const { operatorId = '' } = credentials
    return {
      name: topUp.name,
      capabilities: topUp.capabilities,
      submit: (attempt) =>
        attempt.operation === 'pay_bill'
          ? pay(client, operatorId, attempt)
          : submit(client, attempt, operatorId),
      query: (attempt) =>
        attempt.operation === 'pay_bill' ? queryPayment(client, attempt) : query(client, attempt),
      inquire: (account) => inquire(client, operatorId, account),
      // Nothing is ever called back.
      readCallback: () => undefined,
    }
  },
}

async function submit(client: TopUpClient, attempt: Attempt, operatorId: string): Promise<Outcome> {
  const reply = await client.order(writeTopUp(attempt, operatorId))
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  const order = readOrder(reply.body)
  if (reply.status === 200 && order !== undefined)
    return accepted(attempt, reply, String(order.transactionId))
  const code = readError(reply.body)?.errorCode
  const meaning = meaningOf(errorCodes, code)
  if (meaning === undefined || code === undefined) return unlisted(attempt, reply, code)
  if (meaning === 'accepted') return accepted(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, code)
}

async function query(client: TopUpClient, attempt: Attempt): Promise<Outcome> {
  const { reference } = attempt
  const reply =
    reference === null ? await client.search(attempt.id) : await client.readStatus(reference)
  if (reply.kind !== 'answered') return unasked(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply, readError(reply.body)?.errorCode)
  if (reference !== null) {
    const state = readStatus(reply.body)
    const found = state?.transaction ?? undefined
    if (state === undefined || found === undefined) return unlisted(attempt, reply, state?.status)
    return readState(attempt, reply, { ...found, status: state.status }, state.code)
  }
  const found = readReport(reply.body)?.content
  const [first, ...others] = found ?? []
  if (found === undefined) return unlisted(attempt, reply)
  if (first === undefined) return notFound(attempt, reply)
  if (others.length > 0) return unknown(attempt, reply, 'more than one order of this id')
  return readState(attempt, reply, first, null)
}

function readState(
  attempt: Attempt,
  reply: Answered,
  { transactionId, status, deliveredAmount, deliveredAmountCurrencyCode }: TopUpWire,
  code: string | null | undefined,
): Outcome {
  const reference = String(transactionId)
  const known = { ...attempt, reference }
  const meaning = meaningOf(topUpStatuses, status)
  if (meaning === undefined) return unlisted(known, reply, status)
  if (meaning === 'pending') return pending(known, reply, reference)
  if (meaning === 'declined') return declined(known, reply, meaning, code ?? status)
  const [amount, currency] = [deliveredAmount, deliveredAmountCurrencyCode]
  return succeeded(known, reply, { reference, amount, currency })
}
