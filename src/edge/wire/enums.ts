import { Type } from 'typebox'
import { services } from '#merchants/catalog/services.ts'
import { operations, transactionStatuses } from '#money/transactions/transaction.ts'
import { OneOf } from './one-of.ts'

// The closed lists of the interface. Each title is the name of the list in the OpenAPI description.

export const Status = OneOf([...transactionStatuses, 'EXPIRED'], {
  title: 'Payment status',
  description: 'CANCELLED: transactions only; EXPIRED: payment links only',
})

export const TransactionType = OneOf([...operations, 'PAYMENT'], {
  title: 'Transaction type',
  description: 'PAYMENT: a payment link',
})

/**
 * Service codes. The validator takes them as any text, so that a misspelt one is answered with the
 * code that was meant; the OpenAPI description shows the list.
 */
export const ServiceCode = Type.String({ title: 'Service code' })
export const PaymentServiceCode = Type.String({ title: 'Payment service code' })

/** The values of the lists that only the description shows, by title. */
export const describedValues: Record<string, string[]> = {
  'Service code': services.map(({ code }) => code),
  'Payment service code': services
    .filter(({ operation }) => operation !== 'BILL')
    .map(({ code }) => code),
}
