import { Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import type { PayerStep } from '#money/providers/contract.ts'
import type { PayerTask } from '#money/transactions/payer-task.ts'
import { isDebit, serviceOf, type Transaction } from '#money/transactions/transaction.ts'
import { ServiceCode, Status, TransactionType } from './enums.ts'
import { sentence } from './error.ts'
import { FailureWire } from './failure.ts'
import { OneOf } from './one-of.ts'

export const NextStepWire = Type.Object(
  {
    type: OneOf(['push', 'redirect', 'otp']),
    instruction: Type.String({ description: 'What to tell the payer' }),
  },
  { title: 'Next step' },
)

export const TransactionWire = Type.Object(
  {
    transactionId: Type.String(),
    serviceName: Type.String(),
    serviceCode: ServiceCode,
    ApiTransactionId: Type.String({ description: "The provider's reference" }),
    transactionType: TransactionType,
    transactionAmount: Type.Integer(),
    transactionFee: Type.Integer(),
    number: Type.String(),
    Status,
    INITIATED_AT: Type.String({ format: 'date-time' }),
    success: Type.Boolean(),
    externalTransactionId: Type.String(),
    callBackURL: Type.String(),
    successUrl: Type.String(),
    failureUrl: Type.String(),
    cancelUrl: Type.String(),
    status: Status,
    cashout_url: Type.String({ description: 'Where the payer goes to pay, for redirect wallets' }),
    deepLink: Type.String(),
    webhook: Type.String(),
    amount: Type.Integer(),
    transactionCommission: Type.Integer(),
    nextStep: Type.Optional(NextStepWire),
    failure: Type.Optional(FailureWire),
    previousBalance: Type.Optional(Type.Integer()),
    currentBalance: Type.Optional(Type.Integer()),
  },
  { title: 'Transaction' },
)

export const InitAnswer = Type.Object(
  {
    message: Type.String(),
    success: Type.Boolean(),
    transaction: TransactionWire,
  },
  { title: 'Init answer' },
)

/** A transaction as the answer to its creation shows it: still PENDING. */
export function writeTransaction(transaction: Transaction, step: PayerTask, language: Language) {
  const { balanceBefore, balanceAfter, callbackUrl, paymentUrl } = transaction
  return {
    transactionId: transaction.id,
    serviceName: serviceOf(transaction).name,
    serviceCode: transaction.serviceCode,
    ApiTransactionId: transaction.reference ?? transaction.attemptId,
    transactionType: transaction.operation,
    transactionAmount: transaction.amount,
    transactionFee: transaction.fee,
    number: transaction.phone,
    Status: 'PENDING' as const,
    INITIATED_AT: transaction.createdAt.toISOString(),
    success: true,
    externalTransactionId: transaction.externalId ?? '',
    callBackURL: callbackUrl ?? '',
    successUrl: transaction.successUrl,
    failureUrl: transaction.failureUrl,
    cancelUrl: transaction.failureUrl,
    status: 'PENDING' as const,
    cashout_url: paymentUrl ?? '',
    deepLink: paymentUrl ?? '',
    webhook: callbackUrl ?? '',
    amount: transaction.amount,
    transactionCommission: transaction.fee,
    ...writeNextStep(step, language),
    ...(isDebit(transaction) && balanceBefore !== null && balanceAfter !== null
      ? { previousBalance: balanceBefore, currentBalance: balanceAfter }
      : {}),
  }
}

/** `nextStep` of an answer, to be spread into it; nothing when the payer has nothing to do. */
export function writeNextStep({ step, obstacle }: PayerTask, language: Language) {
  if (step === 'none') return {}
  const instruction = obstacle === null ? instructions[step] : obstacles[obstacle]
  return { nextStep: { type: step, instruction: sentence(instruction, language) } }
}

const instructions: Record<Exclude<PayerStep, 'none'>, Reason> = {
  push: reason('Ask the customer to confirm the payment on their phone'),
  redirect: reason('Send the customer to cashout_url to approve the payment'),
  otp: reason('Ask the customer for the one-time code and send it to /transaction/confirm/walletd'),
}

const obstacles: Record<NonNullable<PayerTask['obstacle']>, Reason> = {
  not_sent: reason('The wallet could not be reached yet: the request is sent again by itself'),
  no_address: reason('cashout_url is not known yet: look the transaction up again in a moment'),
  code_spent: reason('No one-time code is accepted any more: the wallet is asked for the outcome'),
}

export function writeInitAnswer(transaction: Transaction, step: PayerTask, language: Language) {
  return {
    message: 'Transaction initiated successfully',
    success: true,
    transaction: writeTransaction(transaction, step, language),
  }
}
