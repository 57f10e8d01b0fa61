import { services } from '../catalog/services.ts'

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

/** The day that a time belongs to: days of limits begin at midnight UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** A number as it is stored here, the same for every way to write it: SN771234567. */
export function numberKey({ phone, country }: { phone: string; country: string }): string {
  return `${country}${phone}`
}
