import { Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Link } from '#money/links/link.ts'
import { noTask, type PayerTask } from '#money/transactions/payer-task.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { BillTransactionWire, writeBillTransaction } from './bill-payment.ts'
import { ErrorWire, writeError } from './error.ts'
import { chargedFee, failureCodeOf, writeFailure } from './failure.ts'
import { linkFields, writeLink } from './link.ts'
import { TransactionWire, writeTransaction } from './transaction.ts'

export const DuplicateAnswer = Type.Object(
  {
    ...ErrorWire.properties,
    // A transaction, a bill payment or a link.
    transaction: Type.Optional(
      Type.Object(
        Type.Partial(
          Type.Object({
            ...TransactionWire.properties,
            ...BillTransactionWire.properties,
            ...linkFields,
          }),
        ).properties,
        { title: 'Existing record' },
      ),
    ),
  },
  {
    title: 'Duplicate error',
    description: 'externalTransactionId already used; `transaction` is the record that has it',
  },
)

/** The record that uses an external id. */
export type Existing =
  | { kind: 'transaction'; transaction: Transaction; step: PayerTask; token: string | null }
  | { kind: 'link'; link: Link; url: string }

/** The body for a used external id; `existing`: unless another key created the record. */
export function writeDuplicate(
  existing: Existing | undefined,
  language: Language,
  requestId: string,
) {
  const used = 'externalTransactionId already used'
  if (existing === undefined)
    return writeError(
      new Refusal('duplicate_transaction', used, 'Another key of your account created the record'),
      language,
      requestId,
    )
  return {
    ...writeError(new Refusal('duplicate_transaction', used), language, requestId),
    transaction: writeExisting(existing, language),
  }
}

function writeExisting(existing: Existing, language: Language) {
  if (existing.kind === 'link') return writeLink(existing.link, existing.url)
  const { transaction, step, token } = existing
  const { status, operation } = transaction
  if (operation === 'BILL') return writeBillTransaction(transaction, token, language)
  const fee = chargedFee(transaction)
  // A payment that has ended asks nothing of its payer.
  const stepNow = transaction.completedAt === null ? step : noTask
  return {
    ...writeTransaction(transaction, stepNow, language),
    Status: status,
    status,
    transactionFee: fee,
    transactionCommission: fee,
    ...writeFailure(failureCodeOf(transaction), language),
  }
}
