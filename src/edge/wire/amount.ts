import { type Reason, reason } from '#base/kit/refusal.ts'
import { limitsOf } from '#merchants/clients/contract.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'

/** The violation of an amount outside the limits of the client's terms; undefined: none. */
export function amountProblem(
  amount: unknown,
  terms: ServiceTerms | undefined,
): Reason | undefined {
  const { min, max } = limitsOf(terms)
  const isOutside = Number.isInteger(amount) && (Number(amount) < min || Number(amount) > max)
  return isOutside
    ? reason('{field} must be a whole number from {min} to {max}', { min, max }, 'amount')
    : undefined
}
