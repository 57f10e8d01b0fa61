import type { CodeTable } from '../code-table.ts'

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
export const reasons: CodeTable<'declined' | 'payer_refused' | 'payer_timeout'> = {
  APPROVAL_REJECTED: 'payer_refused',
  EXPIRED: 'payer_timeout',
  PAYER_NOT_FOUND: 'declined',
  PAYEE_NOT_FOUND: 'declined',
  NOT_ENOUGH_FUNDS: 'declined',
  PAYER_LIMIT_REACHED: 'declined',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'declined',
  NOT_ALLOWED: 'declined',
  INVALID_CURRENCY: 'declined',
}
