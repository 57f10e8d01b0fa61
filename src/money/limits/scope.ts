import { dayOf as zonedDay } from '#base/kit/zoned-days.ts'
import { countries } from '#merchants/catalog/countries.ts'
import { parseServiceCode, services } from '#merchants/catalog/services.ts'

/** What a transaction is counted under: its service, or for a refund this scope. */
export const refundScope = 'REFUND'

/** Every scope that a daily limit can have. */
export const scopes: readonly string[] = [...services.map(({ code }) => code), refundScope]

/** The parts of a transaction that limits look at. */
export interface Counted {
  clientId: number
  id: string
  externalId: string | null
  operation: string
  serviceCode: string
  amount: number
  phone: string
  createdAt: Date
}

/** The scope that a transaction is counted under. */
export function scopeOf({
  operation,
  serviceCode,
}: Pick<Counted, 'operation' | 'serviceCode'>): string {
  return operation === 'REFUND' ? refundScope : serviceCode
}

/** Where the days of a scope begin and end: in the country of the service, of refunds in UTC. */
export function zoneOf(scope: string): string {
  const service = parseServiceCode(scope)
  return service === undefined ? 'UTC' : countries[service.country].timeZone
}

/** The day of a scope that a time belongs to. */
export function dayOf(time: Date, scope: string): string {
  return zonedDay(time, zoneOf(scope))
}

/** A number as it is stored here, the same for every way to write it: SN771234567. */
export function numberKey({ phone, country }: { phone: string; country: string }): string {
  return `${country}${phone}`
}
