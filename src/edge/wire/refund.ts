import { type Static, Type } from 'typebox'
import type { Mode } from '#base/config/config.ts'
import type { Language } from '#base/kit/language.ts'
import type { Reason } from '#base/kit/refusal.ts'
import { noTask } from '#money/transactions/payer-task.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { Status } from './enums.ts'
import { externalIdProblem } from './init.ts'
import { InitAnswer, writeInitAnswer } from './transaction.ts'
import { urlProblem } from './urls.ts'

export const RefundBody = Type.Object(
  {
    amount: Type.Optional(Type.Integer({ minimum: 1, description: 'Left out: all that is left' })),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
    externalTransactionId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    callBackURL: Type.Optional(Type.String()),
  },
  { title: 'Refund request' },
)

export const RefundAnswer = Type.Object(
  {
    ...InitAnswer.properties,
    refund: Type.Object(
      {
        refundId: Type.String(),
        originalTransactionId: Type.String(),
        amount: Type.Integer(),
        Status,
      },
      { title: 'Refund' },
    ),
  },
  { title: 'Refund answer' },
)

type Refund = Static<typeof RefundBody>

export function checkRefund(body: Partial<Refund>, webhookRules: Mode): Reason[] {
  const { externalTransactionId, callBackURL: url } = body
  const problems = [
    externalIdProblem(externalTransactionId),
    typeof url === 'string' ? urlProblem('callBackURL', url, webhookRules) : undefined,
  ]
  return problems.filter((problem) => problem !== undefined)
}

export function readRefund(body: Refund, transactionId: string) {
  const { amount, reason, externalTransactionId: externalId, callBackURL: callbackUrl } = body
  return {
    transactionId,
    ...(amount === undefined ? {} : { amount }),
    ...(reason === undefined ? {} : { reason }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
  }
}

export function writeRefundAnswer(refund: Transaction, originalId: string, language: Language) {
  const answer = writeInitAnswer(refund, noTask, language)
  return {
    ...answer,
    message: 'Refund initiated successfully',
    refund: {
      refundId: refund.id,
      originalTransactionId: originalId,
      amount: refund.amount,
      Status: 'PENDING' as const,
    },
  }
}
