import { after, type Clock } from '#base/kit/clock.ts'
import type { Capability } from '#money/providers/contract.ts'
import { spentAt } from './one-time-code.ts'
import { type AttemptState, ownLeaseMs, type Transaction } from './transaction.ts'

/* How long an open order is waited for, and when it is looked at again. */

// A payer waits about this long. Within it an order that did not arrive is sent again; after it, an
// order that provably never arrived has failed.
const sendWindowMs = 60_000
// An order that may have arrived and is not found is repeated for longer: only that, or the proof
// that it never arrived, can end it. The provider makes one order of its id.
const repeatWindowMs = 600_000
// While a provider cannot be reached and too little is under way to show that it is down.
const unreachedRetryMs = 30_000
// The clocks of several machines may differ by less.
const clockDifferenceMs = 60_000
// A clock that is kept right is set back by less.
const smallStepMs = 1000
const notSentRetryMs = [1000, 2000, 5000, 10_000]
const unknownRetryMs = [1000, 2000, 5000, 15_000, 60_000, 300_000]

const mayBeOnItsWay = new Set<AttemptState>(['recorded', 'prepared', 'unknown'])

type Sent = Pick<Transaction, 'attemptState' | 'attemptedAt'>

/**
 * Whether a payer may still wait for an order: it may be sent, or sent again. One from the future
 * was created while the clock was wrong.
 */
export function isWindowOpen(facts: { createdAt: Date }, now: Date): boolean {
  return Math.abs(now.getTime() - facts.createdAt.getTime()) < sendWindowMs
}

/**
 * `attemptedAt` as far as the clock can be trusted: after a jump the wait begins anew, so that no
 * order is taken for older than it is, and none waits for a time that was never there.
 */
export function trustedAttemptedAt(
  { attemptedAt }: Pick<Transaction, 'attemptedAt'>,
  clock: Pick<Clock, 'jumpedAt'>,
  now: Date,
): Date {
  if (attemptedAt > after(now, ownLeaseMs)) return now
  const jumpedAt = clock.jumpedAt?.()
  return jumpedAt !== undefined && attemptedAt < jumpedAt ? jumpedAt : attemptedAt
}

/**
 * Whether the process that has recorded an order may still send it. A lease that ends later than
 * any does was given before the clock was set back: nobody knows how old it is.
 */
export function isLeaseHeld({ dueAt }: Pick<Transaction, 'dueAt'>, now: Date): boolean {
  return dueAt !== null && now < dueAt && dueAt < after(now, ownLeaseMs + smallStepMs)
}

/**
 * Whether a process may be sending an order at this moment, so that nobody can know yet whether the
 * provider has it.
 */
export function isOnItsWay({ attemptState, attemptedAt }: Sent, now: Date): boolean {
  return mayBeOnItsWay.has(attemptState) && now < attemptedAt
}

/** Longer than any wait of an open order: a later due date was set while the clock was wrong. */
export function longestWaitMs(capabilities: Capability[]): number {
  const polls = capabilities.flatMap(({ pollMs }) => pollMs)
  return Math.max(...unknownRetryMs, ...polls, ownLeaseMs) + clockDifferenceMs
}

/** Whether an order that may have been sent may be repeated under its id. */
export function mayRepeat(facts: { createdAt: Date }, now: Date): boolean {
  return now.getTime() - facts.createdAt.getTime() < repeatWindowMs
}

/**
 * When a provider was asked that did not find an order. A time later than now was read before the
 * clock was set back: it would make the order older than it is.
 */
export function trustedAskedAt({ askedAt }: { askedAt?: Date }, now: Date): Date {
  return askedAt === undefined ? now : earlier(askedAt, now)
}

/** Whether "not found" proves that no order arrived: not before the delay of the connector. */
export function isNotFoundFinal(
  facts: Sent,
  { notFoundIsFinalAfterMs }: Capability,
  now: Date,
): boolean {
  if (facts.attemptState === 'taken' || notFoundIsFinalAfterMs === null) return false
  return now >= after(facts.attemptedAt, notFoundIsFinalAfterMs)
}

/** When an order that provably was not sent is sent again: at the latest at its window's end. */
export function sendAgainAt(
  facts: Pick<Transaction, 'attemptNumber' | 'createdAt'>,
  now: Date,
): Date {
  const scheduled = after(now, pick(notSentRetryMs, facts.attemptNumber - 1))
  return earlier(scheduled, after(facts.createdAt, sendWindowMs))
}

/** When a provider that could not be reached is asked again. */
export function askAgainAt(scheduled: Date, now: Date): Date {
  return earlier(scheduled, after(now, unreachedRetryMs))
}

/** When the provider is asked again about an order that it has. */
export function nextPollAt(
  facts: Pick<Transaction, 'polls' | 'createdAt'>,
  { pollMs, payerStep }: Capability,
  now: Date,
): Date {
  const scheduled = after(now, pick(pollMs, facts.polls))
  // At once when no code is accepted any more: what the provider has not taken then ends.
  const mayEnd = payerStep === 'otp' && now < spentAt(facts)
  return mayEnd ? earlier(scheduled, spentAt(facts)) : scheduled
}

/** When an order that was not found is looked for again: at the latest when it may be resent. */
export function nextLookAt(
  facts: Sent & Pick<Transaction, 'polls'>,
  capability: Capability,
  now: Date,
): Date {
  const scheduled = after(now, pick(unknownRetryMs, facts.polls))
  if (capability.idempotency !== 'duplicates') return scheduled
  const resendableAt = after(facts.attemptedAt, capability.notFoundIsFinalAfterMs ?? 0)
  return resendableAt > now && resendableAt < scheduled ? resendableAt : scheduled
}

// A biller that has lost a code may find it days later.
const tokenRetryMs = { min: 60_000, max: 6 * 3_600_000 }

/** When a provider is asked for the code of a top-up that has ended: less and less often. */
export function askForTokenAt(completedAt: Date, now: Date): Date {
  const ageMs = now.getTime() - completedAt.getTime()
  return after(now, Math.min(tokenRetryMs.max, Math.max(tokenRetryMs.min, ageMs)))
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}

/** The n-th interval of a schedule; the last one repeats. */
function pick(schedule: number[], index: number): number {
  return schedule[Math.min(index, schedule.length - 1)] ?? 60_000
}
