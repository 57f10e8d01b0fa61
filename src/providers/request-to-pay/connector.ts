import type { About } from '../answers.ts'
import {
  accepted,
  declined,
  notFound,
  pending,
  succeeded,
  unanswered,
  unasked,
  unlisted,
} from '../answers.ts'
import { hintOf } from '../callbacks.ts'
import type { Attempt, Outcome } from '../contract.ts'
import type { Answered } from '../http.ts'
import type { Protocol } from '../protocol.ts'
import { calledBackPollMs, meaningOf, usualCapability } from '../protocol.ts'
import type { RequestToPayClient } from './client.ts'
import { openClient } from './client.ts'
import { orderStatuses, reasons } from './status.ts'
import { readError, readOrder, wordOf, writeOrder } from './wire.ts'

/**
 * A push prompt whose order is named by our own id, so there is nothing else to remember: once it
 * is taken `reference` is that id, and once it is paid the provider's financial transaction id.
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
      readCallback: (callback) => hintOf(callback, (body) => readOrder(body)?.status),
    }
  },
}

async function submit(client: RequestToPayClient, attempt: Attempt): Promise<Outcome> {
  const reply = await client.order(attempt, writeOrder(attempt))
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  // 409: it has our order already.
  if (reply.status === 202 || reply.status === 409) return accepted(attempt, reply, attempt.id)
  const code = readError(reply.body)?.code
  const cause = meaningOf(reasons, code)
  if (cause === undefined || code === undefined) return unlisted(attempt, reply, code)
  return declined(attempt, reply, cause, code)
}

async function query(client: RequestToPayClient, attempt: Attempt): Promise<Outcome> {
  const reply = await client.read(attempt)
  if (reply.kind !== 'answered') return unasked(attempt, reply)
  if (reply.status === 404 && readError(reply.body)?.code === 'RESOURCE_NOT_FOUND')
    return notFound(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply)
  return readState({ ...attempt, reference: attempt.id }, reply) ?? unlisted(attempt, reply)
}

function readState(about: About, reply: Answered): Outcome | undefined {
  const order = readOrder(reply.body)
  if (order === undefined) return undefined
  const { status, amount, currency, financialTransactionId } = order
  const reason = wordOf(order.reason)
  const meaning = meaningOf(orderStatuses, status)
  if (meaning === undefined) return unlisted(about, reply, status)
  if (meaning === 'pending') return pending(about, reply, about.reference)
  if (meaning === 'succeeded') {
    const reference = financialTransactionId?.toString() || about.reference
    return succeeded(about, reply, { reference, amount, currency })
  }
  const cause = meaningOf(reasons, reason)
  if (cause === undefined || reason === undefined) return unlisted(about, reply, reason)
  return declined(about, reply, cause, reason)
}
