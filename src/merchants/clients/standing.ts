import type { Mode } from '#base/config/config.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Operation } from '#merchants/catalog/services.ts'
import type { MerchantStatus } from './statuses.ts'

/**
 * Whether a merchant may begin something new: a payment, or (null) a link or a shop. An account
 * that waits for its activation may try collections in a sandbox. What any of them has begun goes
 * on to its end, and can be read and refunded.
 */
export function mayBegin(status: MerchantStatus, mode: Mode, operation: Operation | null): boolean {
  const isTrial = status === 'pending' && mode === 'sandbox' && operation === 'CASHOUT'
  return status === 'active' || isTrial
}

/** The refusal of what `mayBegin` denies. */
export function inactiveRefusal(): Refusal {
  return new Refusal('merchant_not_active', 'Your merchant account is not active')
}
