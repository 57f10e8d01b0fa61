import { Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import type { Link } from '#money/links/link.ts'
import { isMeterTopUp, type Transaction } from '#money/transactions/transaction.ts'
import { Status, TransactionType } from './enums.ts'
import {
  chargedFee,
  type FailureCode,
  failureCodeOf,
  failureMessage,
  linkFailureCodeOf,
} from './failure.ts'
import { linkNumber } from './link.ts'

export const EventWire = Type.Object(
  {
    id: Type.String({ description: 'The transaction' }),
    externalTransactionId: Type.String(),
    transactionType: TransactionType,
    AMOUNT: Type.Integer(),
    FEE: Type.Integer(),
    PHONE_NUMBER: Type.String(),
    STATUS: Status,
    CUSTOM_DATA: Type.String(),
    COMPLETED_AT: Type.String({ format: 'date-time' }),
    FAILURE_CODE: Type.String({ description: 'Why it did not succeed; empty when it did' }),
    FAILURE_MESSAGE: Type.String({ description: 'The same as a sentence, in your language' }),
    ORIGINAL_ID: Type.Optional(
      Type.String({ description: 'Of a refund: the transaction or link that it is about' }),
    ),
    BALANCE: Type.Integer(),
    PREVIOUS_BALANCE: Type.Integer(),
    CURRENT_BALANCE: Type.Integer(),
    TOKEN: Type.Optional(
      Type.String({ description: 'Recharge code of a prepaid top-up, empty when it failed' }),
    ),
  },
  { title: 'Webhook event' },
)

/** The merchant's available balance before and after the transaction's last posting. */
export interface Balances {
  before: number
  after: number
}

/** What an event needs beside its record. */
export interface EventParts {
  balances: Balances
  /** The client's. */
  language: Language
}

/** The webhook body of a transaction that has ended; `link`: of a refund, the one it is about. */
export function writeEvent(
  transaction: Transaction,
  { balances, language }: EventParts,
  { token, link }: { token: string | null; link: Link | undefined },
) {
  const { operation: type, phone, originalId } = transaction
  const fee = chargedFee(transaction)
  const code = failureCodeOf(transaction)
  const event = {
    ...writeEnded(transaction, { type, fee, phone }, balances),
    ...writeEventFailure(code, language),
    ...(originalId === null ? {} : { ORIGINAL_ID: link?.id ?? originalId }),
  }
  return isMeterTopUp(transaction) ? { ...event, TOKEN: token ?? '' } : event
}

/** The webhook body of a link that has ended; fee and number are those of its payment. */
export function writeLinkEvent(
  link: Link,
  payment: Transaction | null,
  { balances, language }: EventParts,
) {
  const fee = link.status === 'SUCCESS' ? (payment?.fee ?? 0) : 0
  const phone = linkNumber(link, payment)
  return {
    ...writeEnded(link, { type: 'PAYMENT', fee, phone }, balances),
    ...writeEventFailure(linkFailureCodeOf(link, payment), language),
  }
}

function writeEventFailure(code: FailureCode | undefined, language: Language) {
  return { FAILURE_CODE: code ?? '', FAILURE_MESSAGE: failureMessage(code, language) }
}

function writeEnded(
  record: Transaction | Link,
  { type, fee, phone }: { type: string; fee: number; phone: string },
  balances: Balances,
) {
  return {
    id: record.id,
    externalTransactionId: record.externalId ?? '',
    transactionType: type,
    AMOUNT: record.amount,
    FEE: fee,
    PHONE_NUMBER: phone,
    STATUS: record.status,
    CUSTOM_DATA: record.customData ?? '{}',
    COMPLETED_AT: (record.completedAt ?? record.createdAt).toISOString(),
    BALANCE: balances.after,
    PREVIOUS_BALANCE: balances.before,
    CURRENT_BALANCE: balances.after,
  }
}
