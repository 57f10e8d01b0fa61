import { after } from '../kit/clock.ts'
import type { StatusOf, TriggerOf } from '../lifecycle/transitions.ts'
import { isFinal } from '../lifecycle/transitions.ts'
import type { Capability, DeclineCause, Outcome } from '../providers/contract.ts'
import type { AttemptState, Transaction } from './transaction.ts'
import { ownLeaseMs } from './transaction.ts'

/** How an outcome became known; stored with its evidence. */
export type Source = 'prepare' | 'answer' | 'query' | 'callback' | 'confirm' | 'operator' | 'payer'

export type ConflictKind = 'late_success' | 'contradiction' | 'wrong_amount'

/** What an outcome changes of a transaction. Everything that is absent stays as it is. */
export interface Decision {
  trigger?: TriggerOf<'transaction'>
  /** Why the transaction fails. */
  failure?: DeclineCause
  attemptState?: AttemptState
  reference?: string
  paymentUrl?: string
  /** Set when the attempt is about to be sent: `notFoundIsFinalAfterMs` counts from here. */
  attemptedAt?: Date
  /** When the sweeper takes it up next; null: never. */
  dueAt?: Date | null
  conflict?: ConflictKind
  /** Money to post to suspense: the provider reports it as paid, but no open order expects it. */
  suspended?: number
}

// A payer waits about this long. Within it an order that did not arrive is sent again; after it, an
// order that provably never arrived has failed.
const sendWindowMs = 60_000
const notSentRetryMs = [1000, 2000, 5000, 10_000]
const unknownRetryMs = [1000, 2000, 5000, 15_000, 60_000, 300_000]
/** How long a one-time code is valid. */
export const otpLifetimeMs = 600_000

const triggers: Record<DeclineCause, TriggerOf<'transaction'>> = {
  declined: 'provider_declined',
  payer_refused: 'payer_refused',
  payer_timeout: 'payer_timeout',
  already_paid: 'provider_declined',
}

type Facts = Pick<
  Transaction,
  'status' | 'amount' | 'attemptNumber' | 'attemptState' | 'attemptedAt' | 'createdAt' | 'polls'
> & { currency: string }

/** Decides by evidence alone: no timeout ever fails an order that may have been sent. */
export function decideOutcome(
  facts: Facts,
  outcome: Outcome,
  source: Source,
  capability: Capability,
  now: Date,
  isResent = false,
): Decision {
  if (isFinal('transaction', facts.status)) return decideAfterEnd(facts, outcome)
  switch (outcome.kind) {
    case 'succeeded':
      return decideSuccess(facts, outcome)
    case 'declined':
      return {
        trigger: triggers[outcome.cause],
        failure: outcome.cause,
        ...referenceIn(outcome),
        dueAt: null,
      }
    case 'accepted':
    case 'pending':
      return decideTaken(facts, outcome, source, capability, now)
    case 'unknown':
      return decideUnknown(facts, outcome, capability, now)
    case 'not_sent':
      // A query or a code that was not sent says nothing about the order.
      return source === 'answer' || source === 'prepare'
        ? decideNotSent(facts, now)
        : decideUnknown(facts, noReference, capability, now)
    case 'not_found':
      return isResent
        ? { ...decideUnknown(facts, noReference, capability, now), ...leaseToSend(now) }
        : decideNotFound(facts, capability, now)
  }
}

const noReference = { reference: null }

/** The lease of the process that is about to send: no other takes up the row until it ends. */
function leaseToSend(now: Date): Decision {
  return { attemptedAt: now, dueAt: after(now, ownLeaseMs) }
}

/** A final status never changes: a contradiction is a conflict, and its money goes to suspense. */
function decideAfterEnd(facts: Facts, outcome: Outcome): Decision {
  const isSuccess = facts.status === 'SUCCESS'
  if (outcome.kind === 'succeeded' && !isSuccess)
    return { conflict: 'late_success', suspended: outcome.amount }
  if (outcome.kind === 'succeeded' && outcome.amount !== facts.amount)
    return { conflict: 'wrong_amount' }
  if (outcome.kind === 'declined' && isSuccess) return { conflict: 'contradiction' }
  return {}
}

function decideSuccess(facts: Facts, outcome: Outcome & { kind: 'succeeded' }): Decision {
  const { amount, currency, reference } = outcome
  if (amount === facts.amount && currency === facts.currency)
    return { trigger: 'provider_succeeded', reference, dueAt: null }
  return {
    ...becomesProcessing(facts, 'outcome_unknown'),
    reference,
    attemptState: 'parked',
    dueAt: null,
    conflict: 'wrong_amount',
    suspended: amount,
  }
}

function decideTaken(
  facts: Facts,
  outcome: Outcome & { kind: 'accepted' | 'pending' },
  source: Source,
  capability: Capability,
  now: Date,
): Decision {
  // While the payer has to act it is PENDING; once only the provider has to, PROCESSING.
  const isProvidersTurn = capability.payerStep === 'none'
  const trigger = source === 'confirm' ? 'otp_accepted' : 'in_progress'
  return {
    ...(isProvidersTurn || source === 'confirm' ? becomesProcessing(facts, trigger) : {}),
    ...referenceIn(outcome),
    ...(outcome.kind === 'accepted' && outcome.paymentUrl !== undefined
      ? { paymentUrl: outcome.paymentUrl }
      : {}),
    ...(source === 'prepare'
      ? { attemptState: 'prepared', ...leaseToSend(now) }
      : { attemptState: 'taken', dueAt: after(now, pick(capability.pollMs, facts.polls)) }),
  }
}

function decideUnknown(
  facts: Facts,
  outcome: { reference: string | null },
  capability: Capability,
  now: Date,
): Decision {
  // A failed query says nothing new about an order that the provider is known to have.
  const isTaken = facts.attemptState === 'taken'
  return {
    ...becomesProcessing(facts, 'outcome_unknown'),
    ...referenceIn(outcome),
    ...(isTaken ? {} : { attemptState: 'unknown' as const }),
    dueAt: after(now, pick(isTaken ? capability.pollMs : unknownRetryMs, facts.polls)),
  }
}

function decideNotSent(facts: Facts, now: Date): Decision {
  if (!isWindowOpen(facts, now))
    return {
      trigger: 'provider_declined',
      failure: 'declined',
      attemptState: 'not_sent',
      dueAt: null,
    }
  return {
    attemptState: 'not_sent',
    dueAt: after(now, pick(notSentRetryMs, facts.attemptNumber - 1)),
  }
}

/** "Not found" proves that nothing arrived only after the delay that the connector declares. */
function decideNotFound(facts: Facts, capability: Capability, now: Date): Decision {
  const { notFoundIsFinalAfterMs } = capability
  const ageMs = now.getTime() - facts.attemptedAt.getTime()
  const isProof =
    facts.attemptState !== 'taken' &&
    notFoundIsFinalAfterMs !== null &&
    ageMs >= notFoundIsFinalAfterMs
  return isProof ? decideNotSent(facts, now) : decideUnknown(facts, noReference, capability, now)
}

/** What to do with a due transaction. */
export type NextStep = 'prepare' | 'submit' | 'submit_anew' | 'query' | 'park'

/** The step that cannot move money twice, given what is known. */
export function nextStep(
  facts: Pick<Transaction, 'attemptState' | 'reference'>,
  capability: Capability,
  canPrepare: boolean,
): NextStep {
  switch (facts.attemptState) {
    case 'not_sent':
      return 'submit_anew'
    case 'recorded':
      // Nothing is ever submitted before its preparation was committed, so it was never sent.
      if (canPrepare) return 'prepare'
      return queryOrResend(facts, capability)
    case 'prepared':
    case 'taken':
      return 'query'
    case 'unknown':
      return queryOrResend(facts, capability)
    case 'parked':
      return 'park'
  }
}

function queryOrResend(
  facts: Pick<Transaction, 'reference'>,
  capability: Capability,
): 'query' | 'submit' | 'park' {
  if (capability.canFindByOurId || facts.reference !== null) return 'query'
  return canResend(capability) ? 'submit' : 'park'
}

/**
 * Whether an order that the provider does not find is sent again under the same id: only to a
 * provider that makes one order of an id however often it is sent.
 */
export function mayResend(
  facts: Pick<Transaction, 'attemptState' | 'createdAt'>,
  capability: Capability,
  now: Date,
): boolean {
  return facts.attemptState !== 'taken' && canResend(capability) && isWindowOpen(facts, now)
}

function canResend(capability: Capability): boolean {
  return capability.idempotency !== 'none'
}

function isWindowOpen(facts: { createdAt: Date }, now: Date): boolean {
  return now.getTime() - facts.createdAt.getTime() < sendWindowMs
}

function becomesProcessing(
  facts: { status: StatusOf<'transaction'> },
  trigger: TriggerOf<'transaction'>,
): Decision {
  return facts.status === 'PENDING' ? { trigger } : {}
}

function referenceIn(outcome: { reference: string | null }): Decision {
  return outcome.reference === null ? {} : { reference: outcome.reference }
}

/** The n-th interval of a schedule; the last one repeats. */
function pick(schedule: number[], index: number): number {
  return schedule[Math.min(index, schedule.length - 1)] ?? 60_000
}
