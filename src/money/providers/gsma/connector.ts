import { balanceOf } from '../balance.ts'
import { readHint } from '../callbacks.ts'
import { calledBackPollMs, usualCapability } from '../capabilities.ts'
import { meaningOf } from '../code-table.ts'
import type {
  Attempt,
  Credentials,
  DeclineCause,
  Operation,
  Outcome,
  Protocol,
} from '../contract.ts'
import type { HttpResponse } from '../http-client.ts'
import { ourReference } from '../our-reference.ts'
import {
  type AttemptDetails,
  accepted,
  declined,
  notFound,
  pending,
  queryUnanswered,
  submitUnanswered,
  succeeded,
  unlisted,
} from '../outcomes.ts'
import { billPaymentsPath, inquire, readPaidBill } from './bills.ts'
import { type GsmaClient, openClient } from './client.ts'
import { billErrorCodes, causes, errorCodes, requestStates, transactionStatuses } from './status.ts'
import {
  causeOf,
  type GsmaError,
  readAvailable,
  readError,
  readRequestState,
  readResponse,
  readTransaction,
  writeBillPayment,
  writeOrder,
  writeReversal,
} from './wire.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The GSMA Mobile Money API: a push prompt, an immediate answer, the result later. While the order
 * is pending `reference` is the provider's server correlation id; once paid it is the transaction's
 * reference, which a reversal needs. Our own id finds the order in both cases.
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
      query: (attempt, claimedReference) => query(client, attempt, claimedReference),
      inquire: (account) => inquire(client, account),
      readBalance: async () => balanceOf(await client.read('/accounts/balance'), readAvailable),
      readCallback: (callback) => readHint(callback, readCallbackStatus, readReference, readCause),
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
      ? [reversalsPath(originalReference ?? ''), writeReversal(attempt)]
      : operation === 'pay_bill'
        ? [billPaymentsPath(attempt), writeBillPayment(attempt)]
        : [ordersPath(operation), writeOrder(attempt, organisationId)]
  const reply = await client.order(path, attempt, body)
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  if (reply.status === 202) return readState(attempt, reply) ?? unlisted(attempt, reply)
  if (reply.status === 201 && operation === 'pay_bill') return readPaidBill(attempt, reply)
  if (reply.status === 201) return readResult(attempt, reply) ?? unlisted(attempt, reply)
  return outcomeOfError(attempt, reply, readError(reply.body))
}

function ordersPath(operation: Operation): string {
  return `/transactions/type/${operation === 'collect' ? 'merchantpay' : 'disbursement'}`
}

function reversalsPath(reference: string): string {
  return `/transactions/${encodeURIComponent(reference)}/reversals`
}

/** Reads the order by the provider's reference; after a 404, the response by our id. */
async function query(
  client: GsmaClient,
  attempt: Attempt,
  claimedReference?: string,
): Promise<Outcome> {
  const claimed =
    claimedReference === undefined
      ? undefined
      : await readClaimed(client, attempt, claimedReference)
  if (claimed !== undefined) return claimed
  if (attempt.reference !== null) {
    const reply = await client.read(pathOf(attempt.reference))
    if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
    if (reply.status !== 404) return readStateOrResult(client, attempt, reply)
  }
  const reply = await client.read(`/responses/${attempt.id}`)
  if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
  if (reply.status === 404 && readError(reply.body) !== undefined) return notFound(attempt, reply)
  const link = readResponse(reply.body)?.link.replace(/^\/?/, '/')
  // The link comes from the provider: only paths of its own orders are requested.
  if (
    reply.status !== 200 ||
    link === undefined ||
    !/^\/(transactions|requeststates)\/[\w.-]+$/.test(link)
  )
    return unlisted(attempt, reply)
  const linked = await client.read(link)
  return linked.kind === 'answered'
    ? readStateOrResult(client, attempt, linked)
    : queryUnanswered(attempt, linked)
}

/**
 * Where an order is read that has this reference. Server correlation ids are UUIDs, as the
 * specification demands; everything else is the reference of a transaction.
 */
function pathOf(reference: string): string {
  const resource = uuid.test(reference) ? 'requeststates' : 'transactions'
  return `/${resource}/${encodeURIComponent(reference)}`
}

/** The transaction that a callback claims, if it carries our reference: the claim is unsigned. */
async function readClaimed(
  client: GsmaClient,
  attempt: Attempt,
  claimedReference: string,
): Promise<Outcome | undefined> {
  const reply = await client.read(`/transactions/${encodeURIComponent(claimedReference)}`)
  if (reply.kind !== 'answered' || reply.status !== 200) return undefined
  const reference = readTransaction(reply.body)?.requestingOrganisationTransactionReference
  return reference === ourReference(attempt) ? readResult(attempt, reply) : undefined
}

/**
 * The outcome of a transaction or of a request state. A request state that has ended, or that says
 * nothing certain, names its transaction, which is read next: it tells what was paid.
 */
async function readStateOrResult(
  client: GsmaClient,
  attempt: Attempt,
  reply: HttpResponse,
): Promise<Outcome> {
  if (reply.status !== 200) return unlisted(attempt, reply)
  const state = readRequestState(reply.body)
  if (state === undefined) return readResult(attempt, reply) ?? unlisted(attempt, reply)
  const outcome = readState(attempt, reply) ?? unlisted(attempt, reply)
  const isInTransaction = state.status === 'completed' || outcome.kind === 'unknown'
  if (!isInTransaction || !state.objectReference) return outcome
  const path = `/transactions/${encodeURIComponent(state.objectReference)}`
  const transaction = await client.read(path)
  if (transaction.kind !== 'answered') return queryUnanswered(attempt, transaction)
  if (transaction.status !== 200) return unlisted(attempt, transaction)
  return readResult(attempt, transaction) ?? unlisted(attempt, transaction)
}

/** With the operation, because some error codes have a meaning for bills only. */
type OperationDetails = AttemptDetails & Pick<Attempt, 'operation'>

function readState(attempt: OperationDetails, reply: HttpResponse): Outcome | undefined {
  const state = readRequestState(reply.body)
  if (state === undefined) return undefined
  const known = { ...attempt, reference: state.serverCorrelationId }
  const meaning = meaningOf(requestStates, state.status)
  if (meaning === undefined) return unlisted(known, reply, state.status)
  if (meaning === 'failed') return outcomeOfError(known, reply, state.error)
  return accepted(known, reply, state.serverCorrelationId)
}

function readResult(attempt: AttemptDetails, reply: HttpResponse): Outcome | undefined {
  const result = readTransaction(reply.body)
  if (result === undefined) return undefined
  const { transactionReference: reference, transactionStatus, amount, currency } = result
  const meaning = meaningOf(transactionStatuses, transactionStatus.toLowerCase())
  if (meaning === undefined) return unlisted(attempt, reply, transactionStatus)
  if (meaning === 'succeeded') return succeeded(attempt, reply, { reference, amount, currency })
  if (meaning === 'pending') return pending(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, transactionStatus)
}

function outcomeOfError(
  attempt: OperationDetails,
  reply: HttpResponse,
  error: GsmaError | null | undefined,
): Outcome {
  const billCause =
    attempt.operation === 'pay_bill' ? meaningOf(billErrorCodes, error?.errorCode) : undefined
  if (billCause !== undefined) return declined(attempt, reply, billCause, error?.errorCode ?? '')
  const meaning = meaningOfError(error)
  if (meaning === undefined || !error) return unlisted(attempt, reply, error?.errorCode)
  if (meaning === 'accepted') return accepted(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, causeOf(error) ?? error.errorCode)
}

/** What an error means for an order; undefined: nothing certain. */
function meaningOfError(error: GsmaError | null | undefined) {
  const meaning = meaningOf(errorCodes, error?.errorCode)
  if (meaning === undefined || meaning === 'accepted' || !error) return meaning
  return meaningOf(causes, causeOf(error)) ?? meaning
}

function readReference(body: string): string | undefined {
  return readTransaction(body)?.transactionReference
}

/** A callback contains the transaction, or after a failure only the error. */
function readCallbackStatus(body: string): string | undefined {
  return readTransaction(body)?.transactionStatus ?? readError(body)?.errorCode
}

/** Why the order failed. A transaction does not tell: only a request state and a callback do. */
function readCause(body: string): DeclineCause | undefined {
  const meaning = meaningOfError(readError(body))
  return meaning === 'accepted' ? undefined : meaning
}
