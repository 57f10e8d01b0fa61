import type { Static } from 'typebox'
import { Type } from 'typebox'
import { maybe, reader } from '../answers.ts'
import type { Attempt } from '../contract.ts'
import { internationalPhone } from '../phone.ts'
import { ourReference } from '../protocol.ts'

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

export const readSession = reader(Session)
export const readPayout = reader(Payout)
export const readSessions = reader(Type.Object({ result: Type.Array(Session) }))
export const readPayouts = reader(Type.Object({ result: Type.Array(Payout) }))
export const readRefund = reader(Type.Object({}))
export const readError = reader(Type.Object({ code: Type.String() }))

/** A webhook tells about a session or about a payout; its type begins with which. */
export const readEvent = reader(Type.Object({ id: Id, type: Type.String() }))
export const readSessionEvent = reader(Type.Object({ data: Session }))
export const readPayoutEvent = reader(Type.Object({ data: Payout }))

/** The page that the payer is sent to. */
export function writeSession(attempt: Attempt) {
  const { amount, currency, successUrl, failureUrl, service, phone, payeeName } = attempt
  return {
    amount: String(amount),
    currency,
    success_url: successUrl,
    error_url: failureUrl,
    client_reference: ourReference(attempt),
    restrict_payer_mobile: `+${internationalPhone(service.country, phone)}`,
    // The name on the page.
    aggregated_merchant_id: payeeName,
  }
}

export function writePayout(attempt: Attempt) {
  const { amount, currency, service, phone, payeeName } = attempt
  return {
    currency,
    receive_amount: String(amount),
    mobile: `+${internationalPhone(service.country, phone)}`,
    name: payeeName,
    client_reference: ourReference(attempt),
  }
}

export function writeRefund({ amount }: Attempt) {
  return { amount: String(amount) }
}
