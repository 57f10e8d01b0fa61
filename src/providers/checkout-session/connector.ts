import type { About } from '../answers.ts'
import {
  accepted,
  declined,
  notFound,
  succeeded,
  unanswered,
  unasked,
  unknown,
  unlisted,
} from '../answers.ts'
import { asAnswer, isSigned, nobody } from '../callbacks.ts'
import type { Attempt, CallbackClaim, Outcome, RawCallback } from '../contract.ts'
import { evidenceOf } from '../evidence.ts'
import type { Answered, Reply } from '../http.ts'
import type { Protocol } from '../protocol.ts'
import { meaningOf, ourReference, readOurReference, usualCapability } from '../protocol.ts'
import type { CheckoutClient } from './client.ts'
import { openClient } from './client.ts'
import { errorCodes, payoutStatuses, sessionStatuses } from './status.ts'
import type { PayoutWire, SessionWire } from './wire.ts'
import {
  readError,
  readEvent,
  readPayout,
  readPayoutEvent,
  readPayouts,
  readRefund,
  readSession,
  readSessionEvent,
  readSessions,
  writePayout,
  writeRefund,
  writeSession,
} from './wire.ts'

/**
 * A page of the provider's where the payer pays, payouts, refunds, and signed webhooks. `reference`
 * is the id of the session or payout, which a refund needs; a refund has no id but ours.
 */
export const checkoutSession: Protocol = {
  name: 'checkout-session',
  capabilities: {
    // Nobody has the address of a session whose answer was lost.
    collect: {
      ...usualCapability,
      idempotency: 'harmless',
      notFoundIsFinalAfterMs: 5000,
      payerStep: 'redirect',
    },
    disburse: { ...usualCapability, idempotency: 'replays' },
    // Only sending it again tells what became of it.
    reverse: {
      ...usualCapability,
      idempotency: 'replays',
      canFindByOurs: false,
      notFoundIsFinalAfterMs: null,
    },
  },
  credentialNames: ['apiKey', 'webhookSecret'],
  probePath: '/',
  open: (send, credentials) => {
    const client = openClient(send, credentials)
    const { webhookSecret = '' } = credentials
    return {
      name: checkoutSession.name,
      capabilities: checkoutSession.capabilities,
      submit: (attempt) => submit(client, attempt),
      query: (attempt) => query(client, attempt),
      cancel: (attempt) => cancel(client, attempt),
      readCallback: (callback) => readCallback(callback, webhookSecret),
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
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  if (reply.status !== 200 && reply.status !== 201) return readRefusal(attempt, reply)
  return (isCollect ? oneSession : onePayout)(attempt, reply) ?? unlisted(attempt, reply)
}

/** A refund is done when it is answered; the answer is an object that says nothing more. */
async function refund(client: CheckoutClient, attempt: Attempt, id: string): Promise<Outcome> {
  const reply = await client.refund(id, attempt.id, writeRefund(attempt))
  if (reply.kind !== 'answered') return unanswered(attempt, reply)
  if (reply.status !== 200 || readRefund(reply.body) === undefined)
    return readRefusal(attempt, reply)
  const { id: reference, amount, currency } = attempt
  return succeeded(attempt, reply, { reference, amount, currency })
}

function readRefusal(attempt: Attempt, reply: Answered): Outcome {
  const code = readError(reply.body)?.code
  const meaning = meaningOf(errorCodes, code)
  if (meaning === undefined || code === undefined) return unlisted(attempt, reply, code)
  if (meaning === 'accepted') return accepted(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, code)
}

async function query(client: CheckoutClient, attempt: Attempt): Promise<Outcome> {
  const { operation, reference } = attempt
  if (operation === 'reverse')
    return { kind: 'unknown', reason: 'refunds cannot be looked up', reference }
  const isCollect = operation === 'collect'
  const read = isCollect ? client.readSession : client.readPayout
  const search = isCollect ? client.searchSessions : client.searchPayouts
  const reply = reference === null ? await search(ourReference(attempt)) : await read(reference)
  if (reply.kind !== 'answered') return unasked(attempt, reply)
  if (reply.status === 404 && readError(reply.body) !== undefined) return notFound(attempt, reply)
  if (reply.status !== 200) return unlisted(attempt, reply)
  const one = isCollect ? oneSession : onePayout
  const many = isCollect ? bestSession : bestPayout
  return (reference === null ? many : one)(attempt, reply) ?? unlisted(attempt, reply)
}

/** Closes the page, then reads what had become of it: a payer may have been quicker. */
async function cancel(client: CheckoutClient, attempt: Attempt): Promise<Outcome> {
  const { reference } = attempt
  if (reference === null) return query(client, attempt)
  await client.expireSession(reference)
  return query(client, attempt)
}

function oneSession(attempt: About, reply: Answered): Outcome | undefined {
  const session = readSession(reply.body)
  return session && readPaid(attempt, reply, session)
}

function onePayout(attempt: About, reply: Answered): Outcome | undefined {
  const payout = readPayout(reply.body)
  return payout && readPaidOut(attempt, reply, payout)
}

/** Of several sessions that a lost answer left behind, the paid one counts, else the last one. */
function bestSession(attempt: Attempt, reply: Answered): Outcome | undefined {
  const found = readSessions(reply.body)?.result
  const outcomes = found?.map((session) => readPaid(attempt, reply, session))
  return outcomes && bestOf(attempt, reply, outcomes)
}

function bestPayout(attempt: Attempt, reply: Answered): Outcome | undefined {
  const found = readPayouts(reply.body)?.result
  const outcomes = found?.map((payout) => readPaidOut(attempt, reply, payout))
  return outcomes && bestOf(attempt, reply, outcomes)
}

function bestOf(attempt: Attempt, reply: Answered, outcomes: Outcome[]): Outcome {
  const last = outcomes.at(-1)
  if (last === undefined) return notFound(attempt, reply)
  const [paid, ...paidAgain] = outcomes.filter(({ kind }) => kind === 'succeeded')
  if (paidAgain.length > 0) return unknown(attempt, reply, 'paid more than once')
  return paid ?? outcomes.findLast(({ kind }) => kind !== 'declined') ?? last
}

function readPaid(about: About, reply: Reply, session: SessionWire): Outcome {
  const { id, launch_url: paymentUrl, amount, currency, last_payment_error: error } = session
  const words = `${session.checkout_status}/${session.payment_status}`
  const known = { ...about, reference: id }
  const meaning = meaningOf(sessionStatuses, words)
  if (meaning === undefined) return unknown(known, reply, `unlisted: ${words.slice(0, 60)}`)
  if (meaning === 'succeeded') return succeeded(known, reply, { reference: id, amount, currency })
  if (meaning === 'pending')
    return { kind: 'accepted', reference: id, paymentUrl, evidence: evidenceOf(reply, about) }
  // The payer did what it takes, but the wallet said no.
  if (error) return declined(known, reply, 'declined', error.code ?? words)
  return declined(known, reply, meaning, words)
}

function readPaidOut(about: About, reply: Reply, payout: PayoutWire): Outcome {
  const { id: reference, status, receive_amount: amount, currency } = payout
  const known = { ...about, reference }
  const meaning = meaningOf(payoutStatuses, status)
  if (meaning === undefined) return unknown(known, reply, `unlisted: ${status.slice(0, 60)}`)
  if (meaning === 'pending') return accepted(known, reply, reference)
  if (meaning === 'succeeded') return succeeded(known, reply, { reference, amount, currency })
  return declined(known, reply, meaning, payout.payout_error?.error_code ?? status)
}

/** Signed, so what it says counts; our own reference in it names the attempt. */
function readCallback(callback: RawCallback, secret: string): CallbackClaim | undefined {
  if (!isSigned(callback, 'checkout-signature', secret)) return undefined
  const message = asAnswer(callback.body)
  const event = readEvent(message.body)
  if (event === undefined) return undefined
  const claim = (outcome: Outcome, reference: string | null | undefined): CallbackClaim => ({
    trust: 'signed',
    dedupeKey: event.id,
    attempt: readOurReference(reference),
    outcome,
  })
  const session = readSessionEvent(message.body)?.data
  if (session) return claim(readPaid(nobody, message, session), session.client_reference)
  const payout = readPayoutEvent(message.body)?.data
  return payout && claim(readPaidOut(nobody, message, payout), payout.client_reference)
}
