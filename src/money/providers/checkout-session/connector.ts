import { balanceOf } from '../balance.ts'
import { asAnswer, isSigned, unknownAttempt } from '../callbacks.ts'
import { usualCapability } from '../capabilities.ts'
import { meaningOf } from '../code-table.ts'
import type { Attempt, CallbackClaim, Outcome, Protocol, RawCallback } from '../contract.ts'
import { evidenceOf } from '../evidence.ts'
import type { HttpResponse, Reply } from '../http-client.ts'
import { ourReference, readOurReference } from '../our-reference.ts'
import {
  type AttemptDetails,
  accepted,
  declined,
  notFound,
  outcomeOfCode,
  paidOf,
  queryUnanswered,
  submitUnanswered,
  succeeded,
  unknown,
  unlisted,
} from '../outcomes.ts'
import { type CheckoutClient, openClient } from './client.ts'
import { errorCodes, paymentErrors, payoutStatuses, sessionStatuses } from './status.ts'
import {
  type PayoutWire,
  readAvailable,
  readError,
  readEvent,
  readPayout,
  readPayoutEvent,
  readPayouts,
  readRefund,
  readSession,
  readSessionEvent,
  readSessions,
  type SessionWire,
  writePayout,
  writeRefund,
  writeSession,
} from './wire.ts'

/**
 * Checkout sessions with a payment page of the provider, payouts, refunds and signed webhooks.
 * `reference` is the id of the session or payout, which a refund needs; a refund has only our id.
 */
export const checkoutSession: Protocol = {
  name: 'checkout-session',
  capabilities: {
    // A repeated request creates another session, and the payer may find and pay both.
    collect: {
      ...usualCapability,
      idempotency: 'duplicates',
      notFoundIsFinalAfterMs: 5000,
      payerStep: 'redirect',
    },
    disburse: { ...usualCapability, idempotency: 'replays' },
    // A refund cannot be looked up: its result is known only by sending it again, for as long as
    // the provider keeps its key, which is a day. An hour of it is left for clocks that differ.
    reverse: {
      ...usualCapability,
      idempotency: 'replays',
      repeatsKnownForMs: 23 * 3_600_000,
      canFindByOurId: false,
      notFoundIsFinalAfterMs: null,
    },
  },
  credentialNames: ['apiKey', 'webhookSecret'],
  probePath: '/',
  open: (send, credentials) => {
    const client = openClient(send, credentials)
    // Two while the provider's secret is changed, with a space between them.
    const webhookSecrets = (credentials.webhookSecret ?? '').split(' ').filter(Boolean)
    return {
      name: checkoutSession.name,
      capabilities: checkoutSession.capabilities,
      submit: (attempt) => submit(client, attempt),
      query: (attempt) => query(client, attempt),
      cancel: (attempt) => cancel(client, attempt),
      readBalance: async () => balanceOf(await client.readBalance(), readAvailable),
      readCallback: (callback) => readCallback(callback, webhookSecrets),
    }
  },
}

async function submit(client: CheckoutClient, attempt: Attempt): Promise<Outcome> {
  const { operation, originalReference } = attempt
  if (operation === 'reverse')
    return originalReference === null
      ? { kind: 'not_sent', reason: 'the session to refund is not known' }
      : refund(client, attempt, originalReference)
  const isCollect = operation === 'collect'
  const reply = isCollect
    ? await client.createSession(writeSession(attempt))
    : await client.createPayout(attempt.id, writePayout(attempt))
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  if (reply.status !== 200 && reply.status !== 201) return outcomeOfError(attempt, reply)
  return (isCollect ? readOneSession : readOnePayout)(attempt, reply) ?? unlisted(attempt, reply)
}

/** HTTP 200 means that the refund succeeded; the answer is an object without fields to read. */
async function refund(client: CheckoutClient, attempt: Attempt, id: string): Promise<Outcome> {
  const reply = await client.refund(id, attempt.id, writeRefund(attempt))
  if (reply.kind !== 'answered') return submitUnanswered(attempt, reply)
  if (reply.status !== 200 || readRefund(reply.body) === undefined)
    return outcomeOfError(attempt, reply)
  const { id: reference, amount, currency } = attempt
  return succeeded(attempt, reply, { reference, amount, currency })
}

function outcomeOfError(attempt: Attempt, reply: HttpResponse): Outcome {
  return outcomeOfCode(attempt, reply, errorCodes, readError(reply.body)?.code)
}

async function query(client: CheckoutClient, attempt: Attempt): Promise<Outcome> {
  const { operation, reference } = attempt
  if (operation === 'reverse')
    return { kind: 'unknown', reason: 'refunds cannot be looked up', reference }
  const isCollect = operation === 'collect'
  const read = isCollect ? client.readSession : client.readPayout
  const search = isCollect ? client.searchSessions : client.searchPayouts
  const reply = reference === null ? await search(ourReference(attempt)) : await read(reference)
  if (reply.kind !== 'answered') return queryUnanswered(attempt, reply)
  if (reply.status === 404 && readError(reply.body) !== undefined) return notFound(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply)
  const one = isCollect ? readOneSession : readOnePayout
  const many = isCollect ? readBestSession : readBestPayout
  return (reference === null ? many : one)(attempt, reply) ?? unlisted(attempt, reply)
}

/** Expires the session, then reads its state: the payer may have paid before. */
async function cancel(client: CheckoutClient, attempt: Attempt): Promise<Outcome> {
  const { reference } = attempt
  if (reference === null) return query(client, attempt)
  await client.expireSession(reference)
  return query(client, attempt)
}

function readOneSession(attempt: AttemptDetails, reply: HttpResponse): Outcome | undefined {
  const session = readSession(reply.body)
  return session && outcomeOfSession(attempt, reply, session)
}

function readOnePayout(attempt: AttemptDetails, reply: HttpResponse): Outcome | undefined {
  const payout = readPayout(reply.body)
  return payout && outcomeOfPayout(attempt, reply, payout)
}

/** After lost answers there may be several sessions: the paid ones count, else the last one. */
function readBestSession(attempt: Attempt, reply: HttpResponse): Outcome | undefined {
  const found = readSessions(reply.body)?.result
  const outcomes = found?.map((session) => outcomeOfSession(attempt, reply, session))
  return outcomes && bestOf(attempt, reply, outcomes)
}

function readBestPayout(attempt: Attempt, reply: HttpResponse): Outcome | undefined {
  const found = readPayouts(reply.body)?.result
  const outcomes = found?.map((payout) => outcomeOfPayout(attempt, reply, payout))
  return outcomes && bestOf(attempt, reply, outcomes)
}

function bestOf(attempt: Attempt, reply: HttpResponse, outcomes: Outcome[]): Outcome {
  const last = outcomes.at(-1)
  if (last === undefined) return notFound(attempt, reply)
  return paidOf(outcomes) ?? outcomes.findLast(({ kind }) => kind !== 'declined') ?? last
}

function outcomeOfSession(attempt: AttemptDetails, reply: Reply, session: SessionWire): Outcome {
  const { id, launch_url: paymentUrl, amount, currency, last_payment_error: error } = session
  const status = `${session.checkout_status}/${session.payment_status}`
  const known = { ...attempt, reference: id }
  const meaning = meaningOf(sessionStatuses, status)
  if (meaning === undefined) return unknown(known, reply, `unlisted: ${status.slice(0, 60)}`)
  if (meaning === 'succeeded') return succeeded(known, reply, { reference: id, amount, currency })
  if (meaning === 'pending')
    return { kind: 'accepted', reference: id, paymentUrl, evidence: evidenceOf(reply, attempt) }
  // An error: the payer approved, but the wallet declined.
  if (error) {
    const cause = meaningOf(paymentErrors, error.code) ?? 'declined'
    return declined(known, reply, cause, error.code ?? status)
  }
  return declined(known, reply, meaning, status)
}

function outcomeOfPayout(attempt: AttemptDetails, reply: Reply, payout: PayoutWire): Outcome {
  const { id: reference, status, receive_amount: amount, currency } = payout
  const known = { ...attempt, reference }
  const meaning = meaningOf(payoutStatuses, status)
  if (meaning === undefined) return unknown(known, reply, `unlisted: ${status.slice(0, 60)}`)
  if (meaning === 'pending') return accepted(known, reply, reference)
  if (meaning === 'succeeded') return succeeded(known, reply, { reference, amount, currency })
  const code = payout.payout_error?.error_code
  return declined(known, reply, meaningOf(paymentErrors, code) ?? meaning, code ?? status)
}

/** Reads a signed webhook, whose outcome counts; our own reference in it names the attempt. */
function readCallback(callback: RawCallback, secrets: string[]): CallbackClaim | undefined {
  const isGenuine = secrets.some((one) => isSigned(callback, 'checkout-signature', one))
  if (!isGenuine) return undefined
  const answer = asAnswer(callback.body)
  const event = readEvent(answer.body)
  if (event === undefined) return undefined
  const claim = (outcome: Outcome, reference: string | null | undefined): CallbackClaim => ({
    trust: 'signed',
    dedupeKey: event.id,
    attempt: readOurReference(reference),
    outcome,
  })
  const session = readSessionEvent(answer.body)?.data
  if (session)
    return claim(outcomeOfSession(unknownAttempt, answer, session), session.client_reference)
  const payout = readPayoutEvent(answer.body)?.data
  return payout && claim(outcomeOfPayout(unknownAttempt, answer, payout), payout.client_reference)
}
