import { Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import type { Link } from '#money/links/link.ts'
import type { PayerTask } from '#money/transactions/payer-task.ts'
import { serviceOf, type Transaction } from '#money/transactions/transaction.ts'
import { Status, TransactionType } from './enums.ts'
import {
  chargedFee,
  FailureWire,
  failureCodeOf,
  linkFailureCodeOf,
  writeFailure,
} from './failure.ts'
import { linkNumber, writeRefunded } from './link.ts'
import { NextStepWire, writeNextStep } from './transaction.ts'

export const TransactionDetailWire = Type.Object(
  {
    ServiceName: Type.String(),
    ServiceCode: Type.String(),
    OperatorApi: Type.String({ description: "The provider's reference" }),
    Type: TransactionType,
    Amount: Type.Integer(),
    Number: Type.String(),
    Status,
    Initiated_at: Type.String({ format: 'date-time' }),
    Completed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    Fee: Type.Integer(),
    transactionId: Type.String(),
    externalTransactionId: Type.String(),
    referenceFacture: Type.Optional(Type.String({ description: 'The bill that was paid' })),
    failure: Type.Optional(FailureWire),
    token: Type.Optional(Type.String({ description: 'Recharge codes of a prepaid meter' })),
    originalTransactionId: Type.Optional(
      Type.String({
        description: 'Of a refund: the transaction or link whose money it sends back',
      }),
    ),
    refundedAmount: Type.Optional(
      Type.Integer({
        description: 'Of a collection or link: sent back, refunds under way included',
      }),
    ),
    nextStep: Type.Optional(NextStepWire),
    cashout_url: Type.Optional(
      Type.String({ description: 'Where the payer goes to pay, for redirect wallets' }),
    ),
  },
  { title: 'Transaction detail' },
)

export const DetailAnswer = Type.Object(
  {
    message: Type.String(),
    transaction: TransactionDetailWire,
  },
  { title: 'Transaction detail answer' },
)

/** The answer to a lookup. While its payer has to act it tells how, as its creation did. */
export function writeDetailAnswer(
  transaction: Transaction,
  { step, ...known }: Known & { step: PayerTask },
  language: Language,
) {
  const { paymentUrl } = transaction
  const isWaiting = transaction.status === 'PENDING' && step.step !== 'none'
  return {
    message: 'Transaction fetched successfully',
    transaction: {
      ...transactionDetail(transaction, known, language),
      ...(isWaiting ? writeNextStep(step, language) : {}),
      ...(isWaiting && paymentUrl !== null ? { cashout_url: paymentUrl } : {}),
    },
  }
}

/** What a transaction is shown with. */
interface Known {
  token: string | null
  /** Of a refund: the link that its original was begun on, if there is one. */
  link: Link | undefined
}

/** A transaction as lookups and lists show it. */
export function transactionDetail(
  transaction: Transaction,
  { token, link }: Known,
  language: Language,
) {
  const { billReference, originalId } = transaction
  return {
    ServiceName: serviceOf(transaction).name,
    ServiceCode: transaction.serviceCode,
    OperatorApi: transaction.reference ?? transaction.attemptId,
    Type: transaction.operation,
    Amount: transaction.amount,
    Number: transaction.phone,
    Status: transaction.status,
    Initiated_at: transaction.createdAt.toISOString(),
    Completed_at: transaction.completedAt?.toISOString() ?? null,
    Fee: chargedFee(transaction),
    transactionId: transaction.id,
    externalTransactionId: transaction.externalId ?? '',
    ...(billReference === null ? {} : { referenceFacture: billReference }),
    ...writeFailure(failureCodeOf(transaction), language),
    ...(token === null ? {} : { token }),
    ...(originalId === null ? {} : { originalTransactionId: link?.id ?? originalId }),
    ...writeRefunded(transaction),
  }
}

/** The answer to a lookup of a link where transactions are looked up. */
export function writeLinkAsDetail(
  link: Link,
  payment: Transaction | undefined,
  language: Language,
) {
  return {
    message: 'Transaction fetched successfully',
    transaction: linkAsDetail(link, payment, language),
  }
}

/**
 * A link in the form of a transaction; service, reference, number and fee are its payment's. Once
 * it is paid it begins when that payment did, as in the list of transactions, which is in that
 * order.
 */
export function linkAsDetail(link: Link, payment: Transaction | undefined, language: Language) {
  const paid = link.status === 'SUCCESS' ? payment : undefined
  return {
    ServiceName: payment === undefined ? 'Payment link' : serviceOf(payment).name,
    ServiceCode: payment?.serviceCode ?? '',
    OperatorApi: payment?.reference ?? payment?.attemptId ?? '',
    Type: 'PAYMENT' as const,
    Amount: link.amount,
    Number: linkNumber(link, payment),
    Status: link.status,
    Initiated_at: (paid ?? link).createdAt.toISOString(),
    Completed_at: link.completedAt?.toISOString() ?? null,
    Fee: paid?.fee ?? 0,
    transactionId: link.id,
    externalTransactionId: link.externalId,
    ...writeFailure(linkFailureCodeOf(link, payment ?? null), language),
    ...writeRefunded(paid),
  }
}
