import { Type } from 'typebox'
import { toNational } from '#merchants/catalog/phone-forms.ts'
import type { Attempt } from '../contract.ts'
import { jsonReader, maybe } from '../json-reader.ts'
import { ourReference } from '../our-reference.ts'

export const readInvoice = jsonReader(
  Type.Object({ response_code: Type.String(), token: Type.String({ pattern: '^[\\w-]+$' }) }),
)

export const readPayoutInvoice = jsonReader(
  Type.Object({
    response_code: Type.String(),
    disburse_token: Type.String({ pattern: '^[\\w-]+$' }),
  }),
)

export const readResponseCode = jsonReader(Type.Object({ response_code: Type.String() }))

/** The answer to a prompt or to a code. */
export const readAnswer = jsonReader(
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

export const readInvoiceState = jsonReader(InvoiceState)
export const readPayoutState = jsonReader(PayoutState)
/** A callback contains in `data` what a query answers. */
export const readMessage = jsonReader(
  Type.Object({ data: Type.Union([InvoiceState, PayoutState]) }),
)

/** The body of an invoice that a customer will pay. */
export function writeInvoice(attempt: Attempt) {
  const { amount, payeeName, callbackUrl, successUrl, failureUrl } = attempt
  return {
    invoice: { total_amount: amount, description: payeeName },
    store: { name: payeeName },
    actions: { callback_url: callbackUrl, return_url: successUrl, cancel_url: failureUrl },
    custom_data: { reference: ourReference(attempt) },
  }
}

/**
 * The body of a prompt, which sends the customer a code. The protocol requires all four fields; of
 * the customer nothing but the number is known. The shop is named in the invoice.
 */
export function writePrompt({ service, phone }: Attempt, invoiceToken: string) {
  const number = toNational(phone, service.country)
  return {
    customer_name: number,
    customer_email: '',
    phone_number: number,
    invoice_token: invoiceToken,
  }
}

export function writeCode({ service, phone }: Attempt, transactionId: string, code: string) {
  return {
    authorization_code: code,
    phone_number: toNational(phone, service.country),
    transaction_id: transactionId,
  }
}

/** The body of a payout's invoice. */
export function writePayoutInvoice({ service, phone, amount, callbackUrl }: Attempt) {
  return {
    account_alias: toNational(phone, service.country),
    amount,
    withdraw_mode: walletOf(service.provider),
    callback_url: callbackUrl,
  }
}

/** The name of a wallet in paths and fields. */
export function walletOf(provider: string): string {
  return provider.toLowerCase()
}

/** The token of an invoice and, once it was prompted or submitted, the id of its transaction. */
export interface InvoiceReference {
  token: string
  transactionId: string | null
}

export function formatReference({ token, transactionId }: InvoiceReference): string {
  return transactionId === null ? token : `${token}:${transactionId}`
}

export function parseReference(reference: string | null): InvoiceReference | undefined {
  const [token, transactionId = null] = reference?.split(':') ?? []
  return token ? { token, transactionId } : undefined
}
