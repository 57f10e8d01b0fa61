import { after } from '#base/kit/clock.ts'
import type { Capability, DeclineCause, Outcome } from '#money/providers/contract.ts'
import type { Transaction } from './transaction.ts'

/* When a payer's one-time code is accepted, and when none is any more. */

/** How many one-time codes a payer may try. */
export const triesMax = 5

/** How long a one-time code is valid. */
export const otpLifetimeMs = 600_000

/** Why no code of a collection is accepted any more; undefined: one is. */
export function spentCause(
  { createdAt, otpTries, otpWrong }: Pick<Transaction, 'createdAt' | 'otpTries' | 'otpWrong'>,
  now: Date,
): DeclineCause | undefined {
  if (otpTries >= triesMax) return 'wrong_code'
  if (now.getTime() - createdAt.getTime() <= otpLifetimeMs) return undefined
  return otpWrong > 0 ? 'wrong_code' : 'code_expired'
}

/** When no code of a collection is accepted any more, whatever its payer tries. */
export function spentAt({ createdAt }: Pick<Transaction, 'createdAt'>): Date {
  return after(createdAt, otpLifetimeMs + 1)
}

/** Whether none but wrong codes were sent: only a right one moves money. */
export function isUntouched({
  completedAt,
  confirmedAt,
  otpTries,
  otpWrong,
}: Pick<Transaction, 'completedAt' | 'confirmedAt' | 'otpTries' | 'otpWrong'>): boolean {
  return completedAt === null && confirmedAt === null && otpTries === otpWrong
}

/**
 * Whether an answer of the provider shows that a collection can no longer be paid: it has not taken
 * what none but a right code pays, and no code is sent to it any more.
 */
export function isUntaken(
  transaction: Transaction,
  { payerStep }: Pick<Capability, 'payerStep'>,
  asked: Outcome,
  now: Date,
): boolean {
  const isOpenThere = ['pending', 'accepted', 'not_found'].includes(asked.kind)
  if (payerStep !== 'otp' || !isOpenThere) return false
  return isUntouched(transaction) && spentCause(transaction, now) !== undefined
}
