import type { Static } from 'typebox'
import { Type } from 'typebox'
import { maybe, reader } from '../answers.ts'
import type { Attempt } from '../contract.ts'
import { internationalPhone } from '../phone.ts'

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

export const readOrder = reader(Type.Object({ transactionId: Id }))
export const readStatus = reader(
  Type.Object({ code: maybe(Type.String()), status: Type.String(), transaction: maybe(TopUp) }),
)
export const readReport = reader(Type.Object({ content: Type.Array(TopUp) }))
export const readError = reader(Type.Object({ errorCode: Type.String() }))
export const readToken = reader(
  Type.Object({
    access_token: Type.String({ minLength: 1 }),
    expires_in: Type.Number({ exclusiveMinimum: 0 }),
  }),
)

/** An order of airtime, in the money of the recipient's country. */
export function writeTopUp({ id, amount, service, phone }: Attempt, operatorId: string) {
  return {
    operatorId: Number(operatorId),
    amount,
    useLocalAmount: true,
    customIdentifier: id,
    recipientPhone: {
      countryCode: service.country,
      number: `+${internationalPhone(service.country, phone)}`,
    },
  }
}
