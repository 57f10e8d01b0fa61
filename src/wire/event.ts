import { Type } from 'typebox'
import type { Link } from '../links/link.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { isMeterTopUp } from '../transactions/transaction.ts'

export const EventWire = Type.Object(
  {
    id: Type.String({ description: 'The transaction' }),
    externalTransactionId: Type.String(),
    transactionType: Type.String({ examples: ['CASHOUT'] }),
    AMOUNT: Type.Integer(),
    FEE: Type.Integer(),
    PHONE_NUMBER: Type.String(),
    STATUS: Type.String({ examples: ['SUCCESS'] }),
    CUSTOM_DATA: Type.String(),
    COMPLETED_AT: Type.String({ format: 'date-time' }),
    BALANCE: Type.Integer(),
    PREVIOUS_BALANCE: Type.Integer(),
    CURRENT_BALANCE: Type.Integer(),
    TOKEN: Type.Optional(
      Type.String({ description: 'Recharge code of a prepaid top-up, empty when it failed' }),
    ),
  },
  { title: 'Event' },
)

/** What the merchant could spend before and after. */
export interface Balances {
  before: number
  after: number
}

/** What a merchant is told about a transaction that has ended; balances are the posting's own. */
export function writeEvent(transaction: Transaction, balances: Balances, token: string | null) {
  return {
    id: transaction.id,
    externalTransactionId: transaction.externalId ?? '',
    transactionType: transaction.operation,
    AMOUNT: transaction.amount,
    FEE: transaction.fee,
    PHONE_NUMBER: transaction.phone,
    STATUS: transaction.status,
    CUSTOM_DATA: transaction.customData ?? '{}',
    COMPLETED_AT: (transaction.completedAt ?? transaction.createdAt).toISOString(),
    BALANCE: balances.after,
    PREVIOUS_BALANCE: balances.before,
    CURRENT_BALANCE: balances.after,
    ...(isMeterTopUp(transaction) ? { TOKEN: token ?? '' } : {}),
  }
}

/** What a merchant is told about a link that has ended; fee and number are its payment's. */
export function writeLinkEvent(link: Link, payment: Transaction | null, balances: Balances) {
  const isPaid = link.status === 'SUCCESS'
  return {
    id: link.id,
    externalTransactionId: link.externalId,
    transactionType: 'PAYMENT',
    AMOUNT: link.amount,
    FEE: isPaid ? (payment?.fee ?? 0) : 0,
    PHONE_NUMBER: payment?.phone ?? link.customerPhone ?? '',
    STATUS: link.status,
    CUSTOM_DATA: link.customData ?? '{}',
    COMPLETED_AT: (link.completedAt ?? link.createdAt).toISOString(),
    BALANCE: balances.after,
    PREVIOUS_BALANCE: balances.before,
    CURRENT_BALANCE: balances.after,
  }
}
