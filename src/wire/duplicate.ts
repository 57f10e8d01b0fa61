import { Type } from 'typebox'
import { Refusal } from '../kit/refusal.ts'
import type { PayerStep } from '../providers/contract.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Language } from './error.ts'
import { ErrorWire, writeError } from './error.ts'
import { TransactionWire, writeTransaction } from './transaction.ts'

export const DuplicateAnswer = Type.Object(
  { ...ErrorWire.properties, transaction: Type.Optional(TransactionWire) },
  { description: 'externalTransactionId already used; `transaction` is the record that has it' },
)

/** A used id: with the record itself when it was made with the same key. */
export function writeDuplicate(
  existing: Transaction | undefined,
  step: PayerStep,
  language: Language,
  requestId: string,
) {
  const refusal = new Refusal('duplicate_transaction', 'externalTransactionId already used')
  return {
    ...writeError(refusal, language, requestId),
    ...(existing === undefined
      ? {}
      : {
          transaction: {
            ...writeTransaction(existing, step, language),
            Status: existing.status,
            status: existing.status,
          },
        }),
  }
}
