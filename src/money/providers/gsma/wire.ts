import { type Static, Type } from 'typebox'
import { toInternational } from '#merchants/catalog/phone-forms.ts'
import type { Attempt } from '../contract.ts'
import { jsonReader, maybe } from '../json-reader.ts'
import { ourReference } from '../our-reference.ts'

const ErrorObject = Type.Object({
  errorCode: Type.String(),
  errorParameters: maybe(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
})

/** An error as the provider describes it. */
export type GsmaError = Static<typeof ErrorObject>

const readBalance = jsonReader(Type.Object({ availableBalance: Type.Unknown() }))

/** The balance that can be paid out. */
export function readAvailable(body: string): unknown {
  return readBalance(body)?.availableBalance
}

export const readError = jsonReader(ErrorObject)

export const readRequestState = jsonReader(
  Type.Object({
    serverCorrelationId: Type.String({ minLength: 1 }),
    status: Type.String(),
    objectReference: maybe(Type.String()),
    error: maybe(ErrorObject),
  }),
)

export const readTransaction = jsonReader(
  Type.Object({
    transactionReference: Type.String({ minLength: 1 }),
    transactionStatus: Type.String(),
    amount: Type.Unknown(),
    currency: Type.Unknown(),
    requestingOrganisationTransactionReference: maybe(Type.String()),
  }),
)

/** The link to the resource that one of our requests created. */
export const readResponse = jsonReader(Type.Object({ link: Type.String() }))

/** The bills of a customer; the published resource has names and fees in `customData`. */
export const readBills = jsonReader(
  Type.Array(
    Type.Object({
      billReference: Type.String({ minLength: 1, maxLength: 128 }),
      billStatus: Type.String(),
      amountDue: Type.Unknown(),
      currency: Type.Unknown(),
      dueDate: maybe(Type.String()),
      customData: maybe(
        Type.Array(Type.Object({ key: Type.String(), value: maybe(Type.String()) })),
      ),
    }),
  ),
)

export type BillWire = NonNullable<ReturnType<typeof readBills>>[number]

export const readBillPayment = jsonReader(
  Type.Object({
    serviceProviderPaymentReference: Type.String({ minLength: 1 }),
    billPaymentStatus: Type.String(),
    amountPaid: Type.Unknown(),
    currency: Type.Unknown(),
  }),
)

/** The value of the error parameter `cause`. */
export function causeOf({ errorParameters }: GsmaError): string | undefined {
  return errorParameters?.find(({ key }) => key === 'cause')?.value
}

/** The body of an order: money goes from the debit party to the credit party. */
export function writeOrder(attempt: Attempt, organisationId: string) {
  const { service, phone, payeeName, operation } = attempt
  const customer = [{ key: 'msisdn', value: `+${toInternational(phone, service.country)}` }]
  const ourselves = [{ key: 'organisationid', value: organisationId }]
  const isCollect = operation === 'collect'
  return {
    ...writeMoney(attempt),
    debitParty: isCollect ? customer : ourselves,
    creditParty: isCollect ? ourselves : customer,
    // Shown to the customer.
    descriptionText: payeeName.slice(0, 160),
  }
}

/** The body of a reversal; the transaction it undoes is in its path. */
export function writeReversal(attempt: Attempt) {
  return { type: 'reversal', ...writeMoney(attempt) }
}

/** The body of a bill payment, always in full; customer and bill are in its path. */
export function writeBillPayment(attempt: Attempt) {
  return {
    amountPaid: String(attempt.amount),
    currency: attempt.currency,
    paymentType: 'fullpayment',
    customerReference: attempt.phone,
    requestingOrganisationTransactionReference: ourReference(attempt),
  }
}

function writeMoney(attempt: Attempt) {
  return {
    amount: String(attempt.amount),
    currency: attempt.currency,
    requestingOrganisationTransactionReference: ourReference(attempt),
  }
}
