import { Type } from 'typebox'
import { maybe, reader } from '../answers.ts'
import type { Attempt } from '../contract.ts'
import { internationalPhone } from '../phone.ts'
import { ourReference } from '../protocol.ts'

// Some send a word, some an object with the word in it.
const Reason = Type.Union([Type.String(), Type.Object({ code: Type.String() })])

export const readOrder = reader(
  Type.Object({
    status: Type.String(),
    amount: maybe(Type.Unknown()),
    currency: maybe(Type.Unknown()),
    financialTransactionId: maybe(Type.Union([Type.String(), Type.Number()])),
    reason: maybe(Reason),
  }),
)

export const readError = reader(Type.Object({ code: Type.String() }))

export const readToken = reader(
  Type.Object({
    access_token: Type.String({ minLength: 1 }),
    expires_in: Type.Number({ exclusiveMinimum: 0 }),
  }),
)

/** The word of a reason, whichever way it was written. */
export function wordOf(reason: string | { code: string } | null | undefined): string | undefined {
  return typeof reason === 'string' ? reason : reason?.code
}

/** The body of an order: a collection names its payer, a transfer its payee. */
export function writeOrder(attempt: Attempt) {
  const { amount, currency, operation, service, phone, payeeName } = attempt
  const party = { partyIdType: 'MSISDN', partyId: internationalPhone(service.country, phone) }
  return {
    amount: String(amount),
    currency,
    externalId: ourReference(attempt),
    ...(operation === 'collect' ? { payer: party } : { payee: party }),
    // What the customer reads.
    payerMessage: payeeName.slice(0, 160),
    payeeNote: payeeName.slice(0, 160),
  }
}
