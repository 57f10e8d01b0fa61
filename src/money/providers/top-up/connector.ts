import { balanceOf } from '../balance.ts'
import { usualCapability } from '../capabilities.ts'
import { meaningOf } from '../code-table.ts'
import type { Attempt, DeclineCause, Outcome, Protocol } from '../contract.ts'
import type { HttpResponse } from '../http-client.ts'
import {
  accepted,
  declined,
  outcomeOfCode,
  outcomeOfSearch,
  pending,
  queryUnanswered,
  submitUnanswered,
  succeeded,
  unlisted,
} from '../outcomes.ts'
import { openClient, type TopUpClient } from './client.ts'
import { inquire, payMeter, queryMeterPayment } from './meters.ts'
import { errorCodes, topUpStatuses } from './status.ts'
import {
  readAvailable,
  readError,
  readOrder,
  readReport,
  readStatus,
  type TopUpWire,
  writeTopUp,
} from './wire.ts'

/**
 * Airtime and prepaid meters, without callbacks: results are polled. `reference` is the provider's
 * transaction id. `operatorId` is the id of the operator or biller of this binding.
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
          ? payMeter(client, operatorId, attempt)
          : submit(client, attempt, operatorId),
      query: (attempt) =>
        attempt.operation === 'pay_bill'
          ? queryMeterPayment(client, attempt)
          : query(client, attempt),
      inquire: (account) => inquire(client, operatorId, account),
      readBalance: async () => balanceOf(await client.readBalance(), readAvailable),
      // The protocol has no callbacks.
      readCallback: () => undefined,
    }
  },
}

/** Why a top-up failed, where the code tells. */
function causeOf(code: string | null | undefined): DeclineCause | undefined {
  const meaning = meaningOf(errorCodes, code)
  return meaning === 'accepted' ? undefined : meaning
}

async function submit(client: TopUpClient, attempt: Attempt, operatorId: string): Promise<Outcome> {
  const reply = await client.order(writeTopUp(attempt, operatorId))
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  const order = readOrder(reply.body)
  if (reply.status === 200 && order !== undefined)
    return accepted(attempt, reply, String(order.transactionId))
  return outcomeOfCode(attempt, reply, errorCodes, readError(reply.body)?.errorCode)
}

async function query(client: TopUpClient, attempt: Attempt): Promise<Outcome> {
  const { reference } = attempt
  const reply =
    reference === null ? await client.search(attempt.id) : await client.readStatus(reference)
  if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply, readError(reply.body)?.errorCode)
  if (reference !== null) {
    const state = readStatus(reply.body)
    if (state === undefined) return unlisted(attempt, reply)
    // Of an order that failed there may be none: the state is that of the reference asked about.
    const found = state.transaction ?? { transactionId: reference }
    return outcomeOfTopUp(attempt, reply, { ...found, status: state.status }, state.code)
  }
  return outcomeOfSearch(attempt, reply, readReport(reply.body)?.content, (found) =>
    outcomeOfTopUp(attempt, reply, found, null),
  )
}

function outcomeOfTopUp(
  attempt: Attempt,
  reply: HttpResponse,
  { transactionId, status, deliveredAmount, deliveredAmountCurrencyCode }: TopUpWire,
  code: string | null | undefined,
): Outcome {
  const reference = String(transactionId)
  const known = { ...attempt, reference }
  const meaning = meaningOf(topUpStatuses, status)
  if (meaning === undefined) return unlisted(known, reply, status)
  if (meaning === 'pending') return pending(known, reply, reference)
  if (meaning === 'declined')
    return declined(known, reply, causeOf(code) ?? meaning, code ?? status)
  const [amount, currency] = [deliveredAmount, deliveredAmountCurrencyCode]
  return succeeded(known, reply, { reference, amount, currency })
}
