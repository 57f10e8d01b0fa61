import { Refusal } from '../catalog/refusal.ts'
import { otpLifetimeMs } from './decide.ts'
import { getOwn } from './find.ts'
import type { Engine } from './open.ts'
import { countOtpTry, countWrongCode, giveBackOtpTry } from './otp-store.ts'
import { findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

/** How many codes may be tried. */
export const triesMax = 5

/**
 * Hands the payer's one-time code to the provider. A code that is accepted is not yet money: the
 * transaction is PROCESSING until the provider settles.
 */
export async function confirmByOtp(
  engine: Engine,
  caller: { clientId: number; keyId: string },
  order: { transactionId: string; otp: string },
): Promise<Transaction> {
  return confirmTransaction(engine, await getOwn(engine.db, caller, order.transactionId), order.otp)
}

/** The same, for whoever has found the transaction already. */
export async function confirmTransaction(
  engine: Engine,
  transaction: Transaction,
  otp: string,
): Promise<Transaction> {
  const bound = await engine.bind(transaction)
  if (bound?.capability.payerStep !== 'otp' || bound.connector.confirm === undefined)
    throw new Refusal('otp_invalid', 'This transaction does not wait for a one-time code')
  const ageMs = engine.clock.now().getTime() - transaction.createdAt.getTime()
  if (ageMs > otpLifetimeMs) throw new Refusal('otp_expired', 'The one-time code has expired')
  const counted = await countOtpTry(engine.db, transaction, triesMax)
  // Read again: other tries may have been counted since.
  if (counted === undefined) {
    const again = await findTransaction(engine.db, transaction)
    throw refusalFor(again ?? transaction)
  }
  const outcome = await bound.connector.confirm(bound.attempt, otp)
  if (outcome.kind === 'wrong_code') {
    await countWrongCode(engine.db, transaction)
    throw new Refusal('otp_invalid', 'The one-time code is wrong')
  }
  if (outcome.kind === 'not_sent') {
    await giveBackOtpTry(engine.db, transaction)
    throw new Refusal(
      'service_unavailable',
      'The service cannot answer right now, please try again shortly',
    )
  }
  const { clientId, id: transactionId, attemptId } = counted
  const { capability } = bound
  const source = 'confirm' as const
  const heard = { clientId, transactionId, attemptId, source, outcome, capability }
  return (await engine.record(heard)).transaction
}

function refusalFor(transaction: Transaction): Refusal {
  if (transaction.confirmedAt === null && transaction.otpTries >= triesMax)
    return new Refusal('otp_expired', 'No tries are left for this one-time code')
  return new Refusal('otp_invalid', 'This transaction does not wait for a one-time code')
}
