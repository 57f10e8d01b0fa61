import type { Static } from 'typebox'
import { Type } from 'typebox'
import { maybe, reader } from '../answers.ts'
import type { Attempt } from '../contract.ts'
import { internationalPhone } from '../phone.ts'
import { ourReference } from '../protocol.ts'

const ErrorObject = Type.Object({
  errorCode: Type.String(),
  errorParameters: maybe(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
})

/** What a provider says went wrong. */
export type GsmaError = Static<typeof ErrorObject>

export const readError = reader(ErrorObject)

export const readRequestState = reader(
  Type.Object({
    serverCorrelationId: Type.String({ minLength: 1 }),
    status: Type.String(),
    objectReference: maybe(Type.String()),
    error: maybe(ErrorObject),
  }),
)

export const readTransaction = reader(
  Type.Object({
    transactionReference: Type.String({ minLength: 1 }),
    transactionStatus: Type.String(),
    amount: Type.Unknown(),
    currency: Type.Unknown(),
    requestingOrganisationTransactionReference: maybe(Type.String()),
  }),
)

/** Where the answer to a request of ours is kept. */
export const readResponse = reader(Type.Object({ link: Type.String() }))

/** What a customer owes; the published resource leaves names and fees to `customData`. */
export const readBills = reader(
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

export const readBillPayment = reader(
  Type.Object({
    serviceProviderPaymentReference: Type.String({ minLength: 1 }),
    billPaymentStatus: Type.String(),
    amountPaid: Type.Unknown(),
    currency: Type.Unknown(),
  }),
)

/** What a parameter of an error says about its cause. */
export function causeOf({ errorParameters }: GsmaError): string | undefined {
  return errorParameters?.find(({ key }) => key === 'cause')?.value
}

/** The body of an order: money goes from the debit party to the credit party. */
export function writeOrder(attempt: Attempt, organisationId: string) {
  const { service, phone, payeeName, operation } = attempt
  const customer = [{ key: 'msisdn', value: `+${internationalPhone(service.country, phone)}` }]
  const ourselves = [{ key: 'organisationid', value: organisationId }]
  const isCollect = operation === 'collect'
  return {
    ...writeMoney(attempt),
    debitParty: isCollect ? customer : ourselves,
    creditParty: isCollect ? ourselves : customer,
    // What the customer reads.
    descriptionText: payeeName.slice(0, 160),
  }
}

/** The body of a reversal; the transaction it undoes is in its path. */
export function writeReversal(attempt: Attempt) {
  return { type: 'reversal', ...writeMoney(attempt) }
}

/** The body of a bill's payment, always of the whole; customer and bill are in its path. */
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
