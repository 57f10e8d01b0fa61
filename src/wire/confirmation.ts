import { Type } from 'typebox'
import type { Transaction } from '../transactions/transaction.ts'

export const ConfirmBody = Type.Object({
  transactionId: Type.String({ minLength: 1, maxLength: 128 }),
  otp: Type.String({ pattern: '^[0-9]{4,8}$', description: "The customer's one-time code" }),
})

export const ConfirmAnswer = Type.Object({
  message: Type.String(),
  transaction: Type.Object(
    {
      success: Type.Boolean(),
      amount: Type.Integer(),
      fee: Type.Integer(),
      transactionId: Type.String(),
      externalTransactionId: Type.String(),
      Status: Type.String({ examples: ['PROCESSING'] }),
    },
    { title: 'Confirmation' },
  ),
})

export function writeConfirmAnswer(transaction: Transaction) {
  // A code can be right and the wallet empty.
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
