import { after } from '#base/kit/clock.ts'
import { isFinal, type StatusOf, type TriggerOf } from '#money/lifecycle/transitions.ts'
import type { Capability, DeclineCause, Outcome } from '#money/providers/contract.ts'
import { type AttemptState, isDebit, ownLeaseMs, type Transaction } from './transaction.ts'
import {
  askAgainAt,
  isNotFoundFinal,
  isWindowOpen,
  nextLookAt,
  nextPollAt,
  sendAgainAt,
  trustedAskedAt,
} from './waits.ts'

/** How an outcome became known; stored with its evidence. */
export type Source =
  | 'prepare'
  | 'answer'
  | 'query'
  | 'callback'
  | 'confirm'
  | 'operator'
  | 'payer'
  | 'statement'

/** An outcome of one attempt, reported by its provider, its payer or an operator. */
export interface OutcomeReport {
  clientId: number
  transactionId: string
  attemptId: string
  source: Source
  outcome: Outcome
  capability: Capability
  /** The same for every copy of the same callback. */
  dedupeKey?: string
  /** The same id is about to be sent again: the provider does not find it, or cannot be asked. */
  isResent?: boolean
  /** Unsigned, so anyone could have sent it: kept as evidence, and a status query decides. */
  isHint?: boolean
  /** The recharge codes that came with it, sealed. */
  sealedToken?: string
}

export type ConflictKind = 'late_success' | 'contradiction' | 'wrong_amount' | 'unusable_reference'

/** What an outcome changes of a transaction. Everything that is absent stays as it is. */
export interface Decision {
  trigger?: TriggerOf<'transaction'>
  /** Why the transaction fails. */
  failure?: DeclineCause
  attemptState?: AttemptState
  reference?: string
  paymentUrl?: string
  /** `notFoundIsFinalAfterMs` counts from here; see `Transaction`. */
  attemptedAt?: Date
  /** When the sweeper takes it up next; null: never. */
  dueAt?: Date | null
  conflict?: ConflictKind
  /** Money to post to suspense: the provider reports it as paid, but no open order expects it. */
  suspended?: number
}

/** What the payer did or failed to do cancels a transaction; any other cause fails it. */
const payerTriggers: Partial<Record<DeclineCause, TriggerOf<'transaction'>>> = {
  payer_refused: 'payer_refused',
  payer_timeout: 'payer_timeout',
  code_expired: 'payer_timeout',
}

type Facts = Pick<
  Transaction,
  | 'status'
  | 'operation'
  | 'amount'
  | 'attemptNumber'
  | 'attemptState'
  | 'attemptedAt'
  | 'createdAt'
  | 'polls'
  | 'reference'
> & { currency: string }

/** Decides by evidence alone: no timeout ever fails an order that may have been sent. */
export function decideOutcome(
  facts: Facts,
  told: Outcome,
  source: Source,
  capability: Capability,
  now: Date,
  isResent = false,
): Decision {
  const outcome = source === 'answer' && !isSentOnce(facts) ? asUnproven(told) : told
  if (isFinal('transaction', facts.status)) return decideAfterEnd(facts, outcome)
  // Another amount was paid: what an operator has to judge does not become an open order again.
  if (facts.attemptState === 'parked' && !['succeeded', 'declined'].includes(outcome.kind))
    return { dueAt: null }
  // Prepared by another process meanwhile, which may have sent it.
  if (source === 'prepare' && facts.reference !== null) return {}
  switch (outcome.kind) {
    case 'succeeded':
      return decideSuccess(facts, outcome)
    case 'declined':
      if (isOfAnotherOrder(facts, outcome, capability))
        return { dueAt: nextPollAt(facts, capability, now) }
      return {
        trigger:
          (outcome.isUntaken ? undefined : payerTriggers[outcome.cause]) ?? 'provider_declined',
        failure: failureOf(facts, outcome.cause),
        ...referenceIn(outcome),
        dueAt: null,
      }
    case 'accepted':
    case 'pending':
      return decideTaken(facts, outcome, source, capability, now)
    case 'unknown':
      if (isResent) return decideResent(facts, capability, now)
      // The request has ended: it cannot reach the provider any more.
      return source === 'answer'
        ? {
            ...decideUnknown({ ...facts, attemptedAt: now }, outcome, capability, now),
            attemptedAt: now,
          }
        : decideUnknown(facts, outcome, capability, now)
    case 'not_sent':
      // A query or a code that was not sent says nothing about the order.
      return source === 'answer' || source === 'prepare'
        ? decideNotSent(facts, now)
        : decideUnknown(facts, noReference, capability, now)
    case 'not_found':
      return isResent
        ? decideResent(facts, capability, now)
        : decideNotFound(facts, outcome, capability, now)
  }
}

/**
 * Whether only one process has sent the order. That it is sent again is recorded before, so the
 * locked row tells: the answer of one that was suspended meanwhile is no longer the only one.
 */
function isSentOnce({ attemptState }: Facts): boolean {
  return attemptState === 'recorded' || attemptState === 'prepared'
}

/**
 * Of an order that was sent more than once a refusal proves nothing: not that it never left, nor
 * that it was not carried out. A bill that we have paid is refused as paid, and a payout for the
 * money that is missing since the first. Only a query tells.
 */
function asUnproven(outcome: Outcome): Outcome {
  if (outcome.kind !== 'not_sent' && outcome.kind !== 'declined') return outcome
  return { kind: 'unknown', reason: outcome.reason, reference: null }
}

function decideResent(facts: Facts, capability: Capability, now: Date): Decision {
  return { ...decideUnknown(facts, noReference, capability, now), ...leaseToSend(now) }
}

/** Of a payout the account that lacked money is ours: its customer can do nothing about it. */
function failureOf(facts: Pick<Transaction, 'operation'>, cause: DeclineCause): DeclineCause {
  return cause === 'balance_low' && isDebit(facts) ? 'declined' : cause
}

const noReference = { reference: null }

/** The lease of the process that is about to send: no other takes up the row until it ends. */
function leaseToSend(now: Date): Decision {
  return { attemptedAt: after(now, ownLeaseMs), dueAt: after(now, ownLeaseMs) }
}

/** Whether a decline is about another order of this id than the one the payer can pay. */
function isOfAnotherOrder(
  facts: Facts,
  outcome: { reference: string | null },
  { idempotency }: Capability,
): boolean {
  const isKnown = facts.reference !== null && outcome.reference !== null
  return idempotency === 'duplicates' && isKnown && facts.reference !== outcome.reference
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
      : { attemptState: 'taken', dueAt: nextPollAt(facts, capability, now) }),
  }
}

function decideUnknown(
  facts: Facts,
  outcome: { reference: string | null; isUnreached?: true },
  capability: Capability,
  now: Date,
): Decision {
  // A failed query says nothing new about an order that the provider is known to have.
  const isTaken = facts.attemptState === 'taken'
  const scheduled = (isTaken ? nextPollAt : nextLookAt)(facts, capability, now)
  return {
    ...becomesProcessing(facts, 'outcome_unknown'),
    ...referenceIn(outcome),
    ...(isTaken ? {} : { attemptState: 'unknown' as const }),
    dueAt: outcome.isUnreached ? askAgainAt(scheduled, now) : scheduled,
  }
}

function decideNotSent(facts: Facts, now: Date): Decision {
  if (!isWindowOpen(facts, now))
    return {
      trigger: 'provider_declined',
      failure: 'unavailable',
      attemptState: 'not_sent',
      dueAt: null,
    }
  return {
    attemptState: 'not_sent',
    dueAt: sendAgainAt(facts, now),
  }
}

/** "Not found" proves that nothing arrived only after the delay that the connector declares. */
function decideNotFound(
  facts: Facts,
  outcome: { askedAt?: Date },
  capability: Capability,
  now: Date,
): Decision {
  return isNotFoundFinal(facts, capability, trustedAskedAt(outcome, now))
    ? decideNotSent(facts, now)
    : decideUnknown(facts, noReference, capability, now)
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
