import type { CodeTable } from '../code-table.ts'
import type { DeclineCause } from '../contract.ts'

/** Statuses of an order. `FAILED` alone proves nothing: the reason decides. */
export const orderStatuses: CodeTable<'pending' | 'succeeded' | 'failed'> = {
  PENDING: 'pending',
  SUCCESSFUL: 'succeeded',
  FAILED: 'failed',
}

/**
 * Reasons of a failed order, and error codes of a refused request. INTERNAL_PROCESSING_ERROR and
 * SERVICE_UNAVAILABLE are missing on purpose: they say nothing about the order.
 */
export const reasons: CodeTable<DeclineCause> = {
  APPROVAL_REJECTED: 'payer_refused',
  EXPIRED: 'payer_timeout',
  PAYER_NOT_FOUND: 'payer_not_found',
  PAYEE_NOT_FOUND: 'payer_not_found',
  NOT_ENOUGH_FUNDS: 'balance_low',
  PAYER_LIMIT_REACHED: 'limit_reached',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'payer_blocked',
  NOT_ALLOWED: 'declined',
  INVALID_CURRENCY: 'declined',
}
