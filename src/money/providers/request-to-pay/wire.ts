import { Type } from 'typebox'
import { toInternational } from '#merchants/catalog/phone-forms.ts'
import type { Attempt } from '../contract.ts'
import { jsonReader, maybe } from '../json-reader.ts'
import { ourReference } from '../our-reference.ts'

// Some providers send the code itself, others an object that contains it.
const Reason = Type.Union([Type.String(), Type.Object({ code: Type.String() })])

export const readOrder = jsonReader(
  Type.Object({
    status: Type.String(),
    amount: maybe(Type.Unknown()),
    currency: maybe(Type.Unknown()),
    financialTransactionId: maybe(Type.Union([Type.String(), Type.Number()])),
    reason: maybe(Reason),
  }),
)

const readBalance = jsonReader(Type.Object({ availableBalance: Type.Unknown() }))

/** The balance that can be paid out. */
export function readAvailable(body: string): unknown {
  return readBalance(body)?.availableBalance
}

export const readError = jsonReader(Type.Object({ code: Type.String() }))

/** The code of a reason, in either form. */
export function reasonCodeOf(
  reason: string | { code: string } | null | undefined,
): string | undefined {
  return typeof reason === 'string' ? reason : reason?.code
}

/** The body of an order: a collection names its payer, a transfer its payee. */
export function writeOrder(attempt: Attempt) {
  const { amount, currency, operation, service, phone, payeeName } = attempt
  const party = { partyIdType: 'MSISDN', partyId: toInternational(phone, service.country) }
  return {
    amount: String(amount),
    currency,
    externalId: ourReference(attempt),
    ...(operation === 'collect' ? { payer: party } : { payee: party }),
    payerMessage: messageOf(payeeName),
    payeeNote: messageOf(payeeName),
  }
}

/** A name as the customer sees it. Wallets refuse signs such as & and <, and an empty message. */
function messageOf(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}.,'’()-]+/gu, ' ').trim()
  return plain.slice(0, 160) || 'Paiement'
}
