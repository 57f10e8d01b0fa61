import type { Words } from '../protocol.ts'

/** The life of an order. `FAILED` alone says nothing: its reason does. */
export const orderStatuses: Words<'pending' | 'succeeded' | 'failed'> = {
  PENDING: 'pending',
  SUCCESSFUL: 'succeeded',
  FAILED: 'failed',
}

/**
 * Reasons of a failed order, and codes of a refused request. INTERNAL_PROCESSING_ERROR and
 * SERVICE_UNAVAILABLE are missing on purpose: they tell nothing about the order.
 */
export const reasons: Words<'declined' | 'payer_refused' | 'payer_timeout'> = {
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
