import { type Static, Type } from 'typebox'
import { toInternational } from '#merchants/catalog/phone-forms.ts'
import type { Attempt } from '../contract.ts'
import { jsonReader, maybe } from '../json-reader.ts'

const Id = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String({ pattern: '^[\\w-]{1,128}$' }),
])

const TopUp = Type.Object({
  transactionId: Id,
  status: Type.String(),
  deliveredAmount: maybe(Type.Unknown()),
  deliveredAmountCurrencyCode: maybe(Type.Unknown()),
})

export type TopUpWire = Static<typeof TopUp>

export const readOrder = jsonReader(Type.Object({ transactionId: Id }))
export const readStatus = jsonReader(
  Type.Object({ code: maybe(Type.String()), status: Type.String(), transaction: maybe(TopUp) }),
)
export const readReport = jsonReader(Type.Object({ content: Type.Array(TopUp) }))
const Payment = Type.Object({
  id: Id,
  status: Type.String(),
  amount: Type.Unknown(),
  amountCurrencyCode: Type.Unknown(),
  billDetails: maybe(
    Type.Object({ pinDetails: maybe(Type.Object({ token: maybe(Type.String()) })) }),
  ),
})

export type PaymentWire = Static<typeof Payment>

export const readPayment = jsonReader(Payment)
export const readPaymentState = jsonReader(
  Type.Object({ code: maybe(Type.String()), transaction: Payment }),
)
export const readPayments = jsonReader(Type.Object({ content: Type.Array(Payment) }))
export const readSubscriber = jsonReader(
  Type.Object({
    accountNumber: Type.String({ minLength: 1, maxLength: 64 }),
    firstName: maybe(Type.String()),
    lastName: maybe(Type.String()),
    address: maybe(Type.String()),
    status: maybe(Type.String()),
  }),
)
const readBalance = jsonReader(Type.Object({ balance: Type.Unknown() }))

/** The balance that can be paid out. */
export function readAvailable(body: string): unknown {
  return readBalance(body)?.balance
}

export const readError = jsonReader(Type.Object({ errorCode: Type.String() }))

/** The body of an airtime order, in the currency of the recipient's country. */
export function writeTopUp({ id, amount, service, phone }: Attempt, operatorId: string) {
  return {
    operatorId: Number(operatorId),
    amount,
    useLocalAmount: true,
    customIdentifier: id,
    recipientPhone: {
      countryCode: service.country,
      number: `+${toInternational(phone, service.country)}`,
    },
  }
}

/** The body of a top-up of a prepaid meter. */
export function writePayment({ id, amount, phone }: Attempt, billerId: string) {
  return {
    billerId: Number(billerId),
    subscriberAccountNumber: phone,
    amount,
    useLocalAmount: true,
    referenceId: id,
  }
}

const codeDigits = 20

/**
 * Recharge codes, in the order in which the customer types them. They come as one text, in groups
 * separated by dashes or spaces; a text that does not consist of whole codes is returned unchanged.
 */
export function readCodes(token: string): string[] {
  const digits = token.replaceAll(/[\s,;-]/g, '')
  if (!/^\d+$/.test(digits) || digits.length % codeDigits !== 0) return [token.trim()]
  const codes = digits.match(new RegExp(`\\d{${codeDigits}}`, 'g')) ?? []
  return codes.map((code) => code.match(/\d{4}/g)?.join('-') ?? code)
}
