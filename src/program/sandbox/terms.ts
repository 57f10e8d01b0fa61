import type { Operation } from '#merchants/catalog/services.ts'
import type { FeeTerms } from '#merchants/clients/fees.ts'

const basisPoints: Record<Operation, number> = { CASHOUT: 200, CASHIN: 100, AIRTIME: 100, BILL: 0 }

/** What the demo merchants pay for a service. */
export function demoTerms(operation: Operation): FeeTerms {
  const fixed = operation === 'BILL' ? 100 : 0
  return { fixed, basisPoints: basisPoints[operation], min: 0, max: null }
}
