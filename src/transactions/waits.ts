import { after } from '../kit/clock.ts'
import type { Capability } from '../providers/contract.ts'
import type { Transaction } from './transaction.ts'

/* How long an open order is waited for, and when it is looked at again. */

// A payer waits about this long. Within it an order that did not arrive is sent again; after it, an
// order that provably never arrived has failed.
const sendWindowMs = 60_000
const notSentRetryMs = [1000, 2000, 5000, 10_000]
const unknownRetryMs = [1000, 2000, 5000, 15_000, 60_000, 300_000]

type Sent = Pick<Transaction, 'attemptState' | 'attemptedAt'>

/** Whether a payer may still wait for an order: it may be sent, or sent again. */
export function isWindowOpen(facts: { createdAt: Date }, now: Date): boolean {
  return now.getTime() - facts.createdAt.getTime() < sendWindowMs
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

/** When an order that provably was not sent is sent again. */
export function sendAgainAt(facts: Pick<Transaction, 'attemptNumber'>, now: Date): Date {
  return after(now, pick(notSentRetryMs, facts.attemptNumber - 1))
}

/** When the provider is asked again about an order that it has. */
export function nextPollAt(
  facts: Pick<Transaction, 'polls'>,
  { pollMs }: Capability,
  now: Date,
): Date {
  return after(now, pick(pollMs, facts.polls))
}

/** When an order that nobody has found is looked for again: at the latest when it may be resent. */
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

/** The n-th interval of a schedule; the last one repeats. */
function pick(schedule: number[], index: number): number {
  return schedule[Math.min(index, schedule.length - 1)] ?? 60_000
}
