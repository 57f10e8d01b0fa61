import { Type } from 'typebox'
import { Refusal } from '../kit/refusal.ts'
import type { PayerStep } from '../providers/contract.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { BillTransactionWire, writeBillTransaction } from './bill-payment.ts'
import type { Language } from './error.ts'
import { ErrorWire, writeError } from './error.ts'
import { TransactionWire, writeTransaction } from './transaction.ts'

export const DuplicateAnswer = Type.Object(
  {
    ...ErrorWire.properties,
    // Whatever has the id: a transaction, or a bill payment.
    transaction: Type.Optional(
      Type.Partial(
        Type.Object({ ...TransactionWire.properties, ...BillTransactionWire.properties }),
      ),
    ),
  },
  { description: 'externalTransactionId already used; `transaction` is the record that has it' },
)

/** A used id: with the record itself when it was made with the same key. */
export function writeDuplicate(
  existing: { transaction: Transaction; step: PayerStep; token: string | null } | undefined,
  language: Language,
  requestId: string,
) {
  const refusal = new Refusal('duplicate_transaction', 'externalTransactionId already used')
  return {
    ...writeError(refusal, language, requestId),
    ...(existing === undefined ? {} : { transaction: writeExisting(existing, language) }),
  }
}

function writeExisting(
  { transaction, step, token }: { transaction: Transaction; step: PayerStep; token: string | null },
  language: Language,
) {
  const { status, operation } = transaction
  if (operation === 'BILL') return writeBillTransaction(transaction, token, language)
  return { ...writeTransaction(transaction, step, language), Status: status, status }
}
