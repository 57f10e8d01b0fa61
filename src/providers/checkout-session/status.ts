import type { CodeTable } from '../code-table.ts'

/**
 * Statuses of a session: `checkout_status/payment_status`. On a page that is still open the payer
 * may retry a cancelled payment.
 */
export const sessionStatuses: CodeTable = {
  'open/processing': 'pending',
  'open/cancelled': 'pending',
  'complete/processing': 'pending',
  'complete/succeeded': 'succeeded',
  'complete/cancelled': 'payer_refused',
  'expired/processing': 'pending',
  'expired/cancelled': 'payer_timeout',
}

/** Statuses of a payout. */
export const payoutStatuses: CodeTable<'pending' | 'succeeded' | 'declined'> = {
  processing: 'pending',
  succeeded: 'succeeded',
  failed: 'declined',
}

/** Codes that decline an order for certain; other codes say nothing about the order. */
export const errorCodes: CodeTable<'accepted' | 'declined'> = {
  // The provider has our order already.
  'idempotency-mismatch': 'accepted',
  'request-validation-error': 'declined',
  'insufficient-funds': 'declined',
  'recipient-refused': 'declined',
  'checkout-refund-failed': 'declined',
}
