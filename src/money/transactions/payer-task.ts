import type { PayerStep } from '#money/providers/contract.ts'
import { spentCause } from './one-time-code.ts'
import type { Transaction } from './transaction.ts'

/** What the payer of a transaction has to do. */
export interface PayerTask {
  step: PayerStep
  /**
   * What keeps the payer from it. `not_sent`: the provider could not be reached, and the order is
   * sent again. `no_address`: the provider has not yet told where to pay. `code_spent`: no one-time
   * code is accepted any more.
   */
  obstacle: 'not_sent' | 'no_address' | 'code_spent' | null
}

/** For everything whose payer has nothing to do. */
export const noTask: PayerTask = { step: 'none', obstacle: null }

/** What the payer has to do now, of the step that the provider of the transaction asks for. */
export function payerTaskOf(transaction: Transaction, step: PayerStep, now: Date): PayerTask {
  const { attemptState, attemptNumber, paymentUrl } = transaction
  if (step === 'none') return noTask
  // Of a new attempt the one before was not sent either.
  const isAnew = attemptState === 'recorded' && attemptNumber > 1
  if (attemptState === 'not_sent' || isAnew) return { step, obstacle: 'not_sent' }
  if (step === 'redirect' && paymentUrl === null) return { step, obstacle: 'no_address' }
  const isSpent = step === 'otp' && spentCause(transaction, now) !== undefined
  return { step, obstacle: isSpent ? 'code_spent' : null }
}
