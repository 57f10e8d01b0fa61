import { Type } from 'typebox'
import { maybe, reader } from '../answers.ts'
import type { Attempt } from '../contract.ts'
import { nationalPhone } from '../phone.ts'
import { ourReference } from '../protocol.ts'

export const readInvoice = reader(
  Type.Object({ response_code: Type.String(), token: Type.String({ pattern: '^[\\w-]+$' }) }),
)

export const readPayoutInvoice = reader(
  Type.Object({
    response_code: Type.String(),
    disburse_token: Type.String({ pattern: '^[\\w-]+$' }),
  }),
)

export const readRefusal = reader(Type.Object({ response_code: Type.String() }))

/** The answer to a prompt or to a code. */
export const readAnswer = reader(
  Type.Object({
    success: Type.Boolean(),
    message: maybe(Type.String()),
    data: maybe(Type.Object({ TransactionID: maybe(Type.String({ pattern: '^[\\w-]+$' })) })),
  }),
)

const InvoiceState = Type.Object({
  status: Type.String(),
  fail_reason: maybe(Type.String()),
  invoice: Type.Object({ total_amount: Type.Unknown() }),
  receipt_identifier: maybe(Type.String({ pattern: '^[\\w-]+$' })),
})

const PayoutState = Type.Object({
  status: Type.String(),
  fail_reason: maybe(Type.String()),
  transaction_id: maybe(Type.String({ pattern: '^[\\w-]+$' })),
  amount: Type.Unknown(),
})

export const readInvoiceState = reader(InvoiceState)
export const readPayoutState = reader(PayoutState)
/** A callback wraps what a query answers. */
export const readMessage = reader(Type.Object({ data: Type.Union([InvoiceState, PayoutState]) }))

/** The invoice that a customer is going to pay. */
export function writeInvoice(attempt: Attempt) {
  const { amount, payeeName, callbackUrl, successUrl, failureUrl } = attempt
  return {
    invoice: { total_amount: amount, description: payeeName },
    store: { name: payeeName },
    actions: { callback_url: callbackUrl, return_url: successUrl, cancel_url: failureUrl },
    custom_data: { reference: ourReference(attempt) },
  }
}

/** Asks the customer of an invoice for a code. The protocol wants a name and a mail address. */
export function writePrompt({ service, phone, payeeName }: Attempt, invoiceToken: string) {
  return {
    customer_name: payeeName,
    customer_email: '',
    phone_number: nationalPhone(service.country, phone),
    invoice_token: invoiceToken,
  }
}

export function writeCode({ service, phone }: Attempt, transactionId: string, code: string) {
  return {
    authorization_code: code,
    phone_number: nationalPhone(service.country, phone),
    transaction_id: transactionId,
  }
}

/** What is going to be paid out, and to whom. */
export function writePayoutInvoice({ service, phone, amount, callbackUrl }: Attempt) {
  return {
    account_alias: nationalPhone(service.country, phone),
    amount,
    withdraw_mode: walletOf(service.provider),
    callback_url: callbackUrl,
  }
}

/** How a wallet is called in paths and fields. */
export function walletOf(provider: string): string {
  return provider.toLowerCase()
}

/** An invoice's token, and once the customer or payee was involved the transaction's id. */
export interface Handles {
  token: string
  transactionId: string | null
}

export function writeHandles({ token, transactionId }: Handles): string {
  return transactionId === null ? token : `${token}:${transactionId}`
}

export function readHandles(reference: string | null): Handles | undefined {
  const [token, transactionId = null] = reference?.split(':') ?? []
  return token ? { token, transactionId } : undefined
}
