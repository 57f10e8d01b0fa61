import { Refusal } from '#base/kit/refusal.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { type Making, whileHeld } from '#data/db/making.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import type { Outcome } from '#money/providers/contract.ts'
import type { TransactionContext } from './context.ts'
import { getOwn } from './find.ts'
import { otpLifetimeMs, triesMax } from './one-time-code.ts'
import { countOtpTry, countWrongCode, giveBackOtpTry } from './otp-store.ts'
import { findTransaction } from './store.ts'
import { driveOne } from './sweep.ts'
import type { Transaction } from './transaction.ts'

type Declined = Extract<Outcome, { kind: 'declined' }>

export interface CodeOrder {
  transactionId: string
  otp: string
  /** Of a request that may be repeated: it tries a code only while it is its own. */
  making?: Making | undefined
}

/**
 * Sends the payer's one-time code to the provider. An accepted code is not settlement: the
 * transaction stays PROCESSING until the provider settles.
 */
export async function confirmByOtp(
  context: TransactionContext,
  caller: Viewer,
  order: CodeOrder,
): Promise<Transaction> {
  const transaction = await getOwn(context.db, caller, order.transactionId)
  return confirmTransaction(context, transaction, order.otp, order.making)
}

/** The same for a transaction that was read already. */
export async function confirmTransaction(
  context: TransactionContext,
  transaction: Transaction,
  otp: string,
  making?: Making,
): Promise<Transaction> {
  const bound = await context.bind(transaction)
  if (bound?.capability.payerStep !== 'otp' || bound.connector.confirm === undefined)
    throw new Refusal('otp_invalid', 'This transaction does not wait for a one-time code')
  const ageMs = context.clock.now().getTime() - transaction.createdAt.getTime()
  if (ageMs > otpLifetimeMs) throw new Refusal('otp_expired', 'The one-time code has expired')
  const count = (run: Db | Tx) => countOtpTry(run, transaction, triesMax)
  const counted = await (making === undefined
    ? count(context.db)
    : context.db.transaction((tx) => whileHeld(tx, [making], () => count(tx))))
  // Read again: other tries may have been counted since.
  if (counted === undefined) {
    const again = await findTransaction(context.db, transaction)
    throw refusalFor(again ?? transaction)
  }
  const outcome = await bound.connector.confirm(bound.attempt, otp)
  if (outcome.kind === 'wrong_code') {
    const wrong = await countWrongCode(context.db, transaction)
    // None can be right any more: the provider is asked, and what it has not taken ends.
    if (wrong >= triesMax) await driveOne(context, transaction)
    throw new Refusal('otp_invalid', 'The one-time code is wrong')
  }
  if (outcome.kind === 'not_sent') {
    await giveBackOtpTry(context.db, transaction)
    throw new Refusal(
      'service_unavailable',
      'The service cannot answer right now, please try again shortly',
    )
  }
  // Of a code that was sent before the outcome is not known: it may have been the right one.
  const isFirst = counted.otpTries - 1 === counted.otpWrong
  const told = outcome.kind === 'declined' && !isFirst ? asUnknown(outcome) : outcome
  const { clientId, id: transactionId, attemptId } = counted
  const { capability } = bound
  const source = 'confirm' as const
  const report = { clientId, transactionId, attemptId, source, outcome: told, capability }
  return (await context.record(report)).transaction
}

function refusalFor(transaction: Transaction): Refusal {
  if (transaction.confirmedAt === null && transaction.otpTries >= triesMax)
    return new Refusal('otp_invalid', 'No attempts are left for this one-time code')
  return new Refusal('otp_invalid', 'This transaction does not wait for a one-time code')
}

function asUnknown({ reason, reference, evidence = {} }: Declined): Outcome {
  return { kind: 'unknown', reason, reference, evidence }
}
