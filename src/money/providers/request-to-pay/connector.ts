import { balanceOf } from '../balance.ts'
import { readHint } from '../callbacks.ts'
import { calledBackPollMs, usualCapability } from '../capabilities.ts'
import { meaningOf } from '../code-table.ts'
import type { Attempt, Outcome, Protocol } from '../contract.ts'
import type { HttpResponse } from '../http-client.ts'
import {
  type AttemptDetails,
  accepted,
  notFound,
  outcomeOfCode,
  pending,
  queryUnanswered,
  submitUnanswered,
  succeeded,
  unlisted,
} from '../outcomes.ts'
import { openClient, type RequestToPayClient } from './client.ts'
import { orderStatuses, reasons } from './status.ts'
import { readAvailable, readError, readOrder, reasonCodeOf, writeOrder } from './wire.ts'

/**
 * A push prompt, and transfers. The provider identifies an order by our own id: once it is accepted
 * `reference` is that id, and once it is paid the provider's financial transaction id.
 */
export const requestToPay: Protocol = {
  name: 'request-to-pay',
  capabilities: {
    collect: { ...usualCapability, payerStep: 'push', pollMs: calledBackPollMs },
    disburse: { ...usualCapability, pollMs: calledBackPollMs },
  },
  credentialNames: ['subscriptionKey', 'apiUser', 'apiKey', 'targetEnvironment'],
  probePath: '/',
  open: (send, credentials) => {
    const client = openClient(send, credentials)
    return {
      name: requestToPay.name,
      capabilities: requestToPay.capabilities,
      submit: (attempt) => submit(client, attempt),
      query: (attempt) => query(client, attempt),
      readBalance: async () => balanceOf(await client.readBalance(), readAvailable),
      readCallback: (callback) => readHint(callback, readCallbackStatus, readReference),
    }
  },
}

async function submit(client: RequestToPayClient, attempt: Attempt): Promise<Outcome> {
  const reply = await client.order(attempt, writeOrder(attempt))
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  // 409: the provider has our order already.
  if (reply.status === 202 || reply.status === 409) return accepted(attempt, reply, attempt.id)
  return outcomeOfCode(attempt, reply, reasons, readError(reply.body)?.code)
}

async function query(client: RequestToPayClient, attempt: Attempt): Promise<Outcome> {
  const reply = await client.read(attempt)
  if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
  if (reply.status === 404 && readError(reply.body)?.code === 'RESOURCE_NOT_FOUND')
    return notFound(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply)
  return readState({ ...attempt, reference: attempt.id }, reply) ?? unlisted(attempt, reply)
}

function readState(attempt: AttemptDetails, reply: HttpResponse): Outcome | undefined {
  const order = readOrder(reply.body)
  if (order === undefined) return undefined
  const { status, amount, currency, financialTransactionId } = order

  const meaning = meaningOf(orderStatuses, status)
  if (meaning === undefined) return unlisted(attempt, reply, status)
  if (meaning === 'pending') return pending(attempt, reply, attempt.reference)
  if (meaning === 'succeeded') {
    const reference = financialTransactionId?.toString() || attempt.reference
    return succeeded(attempt, reply, { reference, amount, currency })
  }
  return outcomeOfCode(attempt, reply, reasons, reasonCodeOf(order.reason))
}

function readCallbackStatus(body: string): string | undefined {
  return readOrder(body)?.status
}

function readReference(body: string): string | undefined {
  return readOrder(body)?.financialTransactionId?.toString()
}
