import { Type } from 'typebox'
import type { Transaction } from '#money/transactions/transaction.ts'
import { Status } from './enums.ts'
import { oneTimeCodePattern } from './patterns.ts'

export const ConfirmBody = Type.Object(
  {
    transactionId: Type.String({ minLength: 1, maxLength: 128 }),
    otp: Type.String({ pattern: oneTimeCodePattern, description: "The customer's one-time code" }),
  },
  { title: 'Confirm request' },
)

export const ConfirmAnswer = Type.Object(
  {
    message: Type.String(),
    transaction: Type.Object(
      {
        success: Type.Boolean(),
        amount: Type.Integer(),
        fee: Type.Integer(),
        transactionId: Type.String(),
        externalTransactionId: Type.String(),
        Status,
      },
      { title: 'Confirmation' },
    ),
  },
  { title: 'Confirm answer' },
)

export function writeConfirmAnswer(transaction: Transaction) {
  // The provider may accept the code and then decline the payment.
  const success = transaction.status !== 'FAILED' && transaction.status !== 'CANCELLED'
  return {
    message: success ? 'Transaction confirmed successfully' : 'Transaction declined',
    transaction: {
      success,
      amount: transaction.amount,
      fee: transaction.fee,
      transactionId: transaction.id,
      externalTransactionId: transaction.externalId ?? '',
      Status: transaction.status,
    },
  }
}
