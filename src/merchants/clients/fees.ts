import type { Service } from '#merchants/catalog/services.ts'

/** The price of a service: a fixed part plus a share, kept between a minimum and a maximum. */
export interface FeeTerms {
  fixed: number
  /** Hundredths of a percent. */
  basisPoints: number
  min: number
  max: number | null
}

/** Airtime costs one percent for every client, whatever its contract says. */
export const airtimeTerms: FeeTerms = { fixed: 0, basisPoints: 100, min: 0, max: null }

/** The price that a client really pays for a service. */
export function effectiveTerms(service: Pick<Service, 'type'>, terms: FeeTerms): FeeTerms {
  return service.type === 'AIRTIME' ? airtimeTerms : terms
}

/** Whether a service costs nothing, whatever the amount. */
export function isFree(service: Pick<Service, 'type'>, terms: FeeTerms): boolean {
  const { fixed, basisPoints, min, max } = effectiveTerms(service, terms)
  return max === 0 || (fixed === 0 && basisPoints === 0 && min === 0)
}

/** The fee on an amount, rounded half up to the franc, computed in integers. */
export function feeOn(service: Service, terms: FeeTerms, amount: number): number {
  const { fixed, basisPoints, min, max } = effectiveTerms(service, terms)
  const share = Math.floor((amount * basisPoints + 5_000) / 10_000)
  const fee = Math.max(fixed + share, min)
  // A collection's fee is at most its amount: it never takes money from the merchant.
  const most = Math.min(max ?? fee, service.isDebit ? fee : amount)
  return Math.min(fee, most)
}
