import { type Service, services } from '#merchants/catalog/services.ts'
import type { Contract } from '#merchants/clients/contract.ts'

/** What people pay by hand, each with a form of its own. */
export const payKinds = ['payout', 'airtime', 'bill', 'meter'] as const

export type PayKind = (typeof payKinds)[number]

/** Under which form a service is found; undefined: it is not paid by hand. */
function kindOf({ operation, isPrepaid }: Service): PayKind | undefined {
  if (operation === 'CASHIN') return 'payout'
  if (operation === 'AIRTIME') return 'airtime'
  if (operation === 'BILL') return isPrepaid ? 'meter' : 'bill'
  return undefined
}

export type PayOffer = ReadonlyMap<PayKind, Service[]>

/** The services that a client may pay with, by kind; a kind without any is left out. */
export function offerOf({ terms }: Contract): PayOffer {
  const enabled = services.filter(({ code }) => terms.get(code)?.isEnabled === true)
  const byKind = Map.groupBy(enabled, kindOf)
  return new Map(
    payKinds.flatMap((kind) => {
      const own = byKind.get(kind)
      return own === undefined ? [] : [[kind, own]]
    }),
  )
}

/** Whether it is paid to a phone number; else to the number of a customer or meter. */
export function isToPhone(kind: PayKind): boolean {
  return kind === 'payout' || kind === 'airtime'
}
