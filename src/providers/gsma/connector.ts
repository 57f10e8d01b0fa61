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
import type { Attempt, Operation, Outcome } from '../contract.ts'
import type { Answered } from '../http.ts'
import type { Credentials, Protocol } from '../protocol.ts'
import { calledBackPollMs, meaningOf, ourReference, usualCapability } from '../protocol.ts'
import { inquire, paymentsOf, readPaid } from './bills.ts'
import type { GsmaClient } from './client.ts'
import { openClient } from './client.ts'
import { billErrorCodes, causes, errorCodes, requestStates, transactionStatuses } from './status.ts'
import type { GsmaError } from './wire.ts'
import {
  causeOf,
  readError,
  readRequestState,
  readResponse,
  readTransaction,
  writeBillPayment,
  writeOrder,
  writeReversal,
} from './wire.ts'

/**
 * The GSMA Mobile Money API: a push prompt, an answer at once, the outcome later. While it is under
 * way `reference` is the provider's server correlation id; once paid, the transaction's reference,
 * which a reversal needs. Whichever it is, our own id finds the order too.
 */
export const gsma: Protocol = {
  name: 'gsma',
  capabilities: {
    collect: { ...usualCapability, payerStep: 'push', pollMs: calledBackPollMs },
    disburse: { ...usualCapability, pollMs: calledBackPollMs },
    reverse: { ...usualCapability, pollMs: calledBackPollMs },
    pay_bill: usualCapability,
  },
  credentialNames: ['apiKey', 'organisationId'],
  probePath: '/heartbeat',
  open: (send, credentials) => {
    const client = openClient(send, credentials)
    return {
      name: gsma.name,
      capabilities: gsma.capabilities,
      submit: (attempt) => submit(client, attempt, credentials),
      query: (attempt, named) => query(client, attempt, named),
      inquire: (account) => inquire(client, account),
      readCallback: (callback) => hintOf(callback, readWord, readReference),
    }
  },
}

async function submit(
  client: GsmaClient,
  attempt: Attempt,
  { organisationId = '' }: Credentials,
): Promise<Outcome> {
  const { operation, originalReference } = attempt
  if (operation === 'reverse' && originalReference === null)
    return { kind: 'not_sent', reason: 'the reference of the original is not known' }
  const [path, body] =
    operation === 'reverse'
      ? [reversalsOf(originalReference ?? ''), writeReversal(attempt)]
      : operation === 'pay_bill'
        ? [paymentsOf(attempt), writeBillPayment(attempt)]
        : [pathOf(operation), writeOrder(attempt, organisationId)]
  const reply = await client.order(path, attempt, body)
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  if (reply.status === 202) return readState(attempt, reply) ?? unlisted(attempt, reply)
  if (reply.status === 201 && operation === 'pay_bill') return readPaid(attempt, reply)
  if (reply.status === 201) return readResult(attempt, reply) ?? unlisted(attempt, reply)
  return readCode(attempt, reply, readError(reply.body))
}

function pathOf(operation: Operation): string {
  return `/transactions/type/${operation === 'collect' ? 'merchantpay' : 'disbursement'}`
}

function reversalsOf(reference: string): string {
  return `/transactions/${encodeURIComponent(reference)}/reversals`
}

/** By the provider's reference if it is a request's, else by the answer kept under our id. */
async function query(client: GsmaClient, attempt: Attempt, named?: string): Promise<Outcome> {
  const known = named === undefined ? undefined : await readNamed(client, attempt, named)
  if (known !== undefined) return known
  if (attempt.reference !== null) {
    const path = `/requeststates/${encodeURIComponent(attempt.reference)}`
    const reply = await client.read(path)
    if (reply.kind !== 'answered') return unasked(attempt, reply)
    if (reply.status !== 404) return follow(client, attempt, reply)
  }
  const reply = await client.read(`/responses/${attempt.id}`)
  if (reply.kind !== 'answered') return unasked(attempt, reply)
  if (reply.status === 404 && readError(reply.body) !== undefined) return notFound(attempt, reply)
  const link = readResponse(reply.body)?.link.replace(/^\/?/, '/')
  // The answer of a provider chooses nothing but which of its own orders we read.
  if (
    reply.status !== 200 ||
    link === undefined ||
    !/^\/(transactions|requeststates)\/[\w.-]+$/.test(link)
  )
    return unlisted(attempt, reply)
  const linked = await client.read(link)
  return linked.kind === 'answered' ? follow(client, attempt, linked) : unasked(attempt, linked)
}

/** The transaction that a callback named, if it is this attempt's: anyone can name another. */
async function readNamed(
  client: GsmaClient,
  attempt: Attempt,
  named: string,
): Promise<Outcome | undefined> {
  const reply = await client.read(`/transactions/${encodeURIComponent(named)}`)
  if (reply.kind !== 'answered' || reply.status !== 200) return undefined
  const whose = readTransaction(reply.body)?.requestingOrganisationTransactionReference
  return whose === ourReference(attempt) ? readResult(attempt, reply) : undefined
}

/** A request that ended names its transaction, which says what was paid, or that nothing was. */
async function follow(client: GsmaClient, attempt: Attempt, reply: Answered): Promise<Outcome> {
  if (reply.status !== 200) return unlisted(attempt, reply)
  const state = readRequestState(reply.body)
  if (state === undefined) return readResult(attempt, reply) ?? unlisted(attempt, reply)
  const outcome = readState(attempt, reply) ?? unlisted(attempt, reply)
  const hasEnded = state.status === 'completed' || outcome.kind === 'unknown'
  if (!hasEnded || !state.objectReference) return outcome
  const path = `/transactions/${encodeURIComponent(state.objectReference)}`
  const transaction = await client.read(path)
  if (transaction.kind !== 'answered') return unasked(attempt, transaction)
  if (transaction.status !== 200) return unlisted(attempt, transaction)
  return readResult(attempt, transaction) ?? unlisted(attempt, transaction)
}

/** Some codes mean something about a bill only. */
type Told = About & Pick<Attempt, 'operation'>

function readState(about: Told, reply: Answered): Outcome | undefined {
  const state = readRequestState(reply.body)
  if (state === undefined) return undefined
  const known = { ...about, reference: state.serverCorrelationId }
  const meaning = meaningOf(requestStates, state.status)
  if (meaning === undefined) return unlisted(known, reply, state.status)
  if (meaning === 'failed') return readCode(known, reply, state.error)
  return accepted(known, reply, state.serverCorrelationId)
}

function readResult(about: About, reply: Answered): Outcome | undefined {
  const result = readTransaction(reply.body)
  if (result === undefined) return undefined
  const { transactionReference: reference, transactionStatus, amount, currency } = result
  const meaning = meaningOf(transactionStatuses, transactionStatus.toLowerCase())
  if (meaning === undefined) return unlisted(about, reply, transactionStatus)
  if (meaning === 'succeeded') return succeeded(about, reply, { reference, amount, currency })
  if (meaning === 'pending') return pending(about, reply, about.reference)
  return declined(about, reply, meaning, transactionStatus)
}

function readCode(about: Told, reply: Answered, error: GsmaError | null | undefined): Outcome {
  const refusal =
    about.operation === 'pay_bill' ? meaningOf(billErrorCodes, error?.errorCode) : undefined
  if (refusal !== undefined) return declined(about, reply, refusal, error?.errorCode ?? '')
  const meaning = meaningOf(errorCodes, error?.errorCode)
  if (meaning === undefined || !error) return unlisted(about, reply, error?.errorCode)
  if (meaning === 'accepted') return accepted(about, reply, about.reference)
  const cause = meaningOf(causes, causeOf(error)) ?? meaning
  return declined(about, reply, cause, causeOf(error) ?? error.errorCode)
}

function readReference(body: string): string | undefined {
  return readTransaction(body)?.transactionReference
}

/** A callback brings the transaction, or on failure nothing but the error. */
function readWord(body: string): string | undefined {
  return readTransaction(body)?.transactionStatus ?? readError(body)?.errorCode
}
