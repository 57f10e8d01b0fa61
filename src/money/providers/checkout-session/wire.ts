import { type Static, Type } from 'typebox'
import { toInternational } from '#merchants/catalog/phone-forms.ts'
import type { Attempt } from '../contract.ts'
import { jsonReader, maybe } from '../json-reader.ts'
import { ourReference } from '../our-reference.ts'

const Id = Type.String({ pattern: '^[\\w-]{1,128}$' })

const Session = Type.Object({
  id: Id,
  launch_url: Type.String({ pattern: '^https?://' }),
  checkout_status: Type.String(),
  payment_status: Type.String(),
  amount: Type.Unknown(),
  currency: Type.Unknown(),
  last_payment_error: maybe(Type.Object({ code: maybe(Type.String()) })),
  client_reference: maybe(Type.String()),
})

const Payout = Type.Object({
  id: Id,
  status: Type.String(),
  receive_amount: Type.Unknown(),
  currency: Type.Unknown(),
  payout_error: maybe(Type.Object({ error_code: maybe(Type.String()) })),
  client_reference: maybe(Type.String()),
})

export type SessionWire = Static<typeof Session>
export type PayoutWire = Static<typeof Payout>

export const readSession = jsonReader(Session)
export const readPayout = jsonReader(Payout)
export const readSessions = jsonReader(Type.Object({ result: Type.Array(Session) }))
export const readPayouts = jsonReader(Type.Object({ result: Type.Array(Payout) }))
export const readRefund = jsonReader(Type.Object({}))
const readBalance = jsonReader(Type.Object({ amount: Type.Unknown() }))

/** The balance that can be paid out. */
export function readAvailable(body: string): unknown {
  return readBalance(body)?.amount
}

export const readError = jsonReader(Type.Object({ code: Type.String() }))

/** A webhook is about a session or a payout: `data` has the shape of one of them. */
export const readEvent = jsonReader(Type.Object({ id: Id, type: Type.String() }))
export const readSessionEvent = jsonReader(Type.Object({ data: Session }))
export const readPayoutEvent = jsonReader(Type.Object({ data: Payout }))

/** The body of a checkout session, whose page the payer is sent to. */
export function writeSession(attempt: Attempt) {
  const { amount, currency, successUrl, failureUrl, service, phone, payeeName } = attempt
  return {
    amount: String(amount),
    currency,
    success_url: successUrl,
    error_url: failureUrl,
    client_reference: ourReference(attempt),
    restrict_payer_mobile: `+${toInternational(phone, service.country)}`,
    // The payee's name on the page.
    aggregated_merchant_id: payeeName,
  }
}

export function writePayout(attempt: Attempt) {
  const { amount, currency, service, phone, payeeName } = attempt
  return {
    currency,
    receive_amount: String(amount),
    mobile: `+${toInternational(phone, service.country)}`,
    name: payeeName,
    client_reference: ourReference(attempt),
  }
}

export function writeRefund({ amount }: Attempt) {
  return { amount: String(amount) }
}
