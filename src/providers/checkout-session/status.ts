import type { Words } from '../protocol.ts'

/**
 * What has become of a session: `checkout_status/payment_status`. A payment that was cancelled on a
 * page that is still open may be tried again there.
 */
export const sessionStatuses: Words = {
  'open/processing': 'pending',
  'open/cancelled': 'pending',
  'complete/processing': 'pending',
  'complete/succeeded': 'succeeded',
  'complete/cancelled': 'payer_refused',
  'expired/processing': 'pending',
  'expired/cancelled': 'payer_timeout',
}

/** What has become of a payout. */
export const payoutStatuses: Words<'pending' | 'succeeded' | 'declined'> = {
  processing: 'pending',
  succeeded: 'succeeded',
  failed: 'declined',
}

/** Why an order was not taken. All other codes tell nothing about it. */
export const errorCodes: Words<'accepted' | 'declined'> = {
  // It has our order already.
  'idempotency-mismatch': 'accepted',
  'request-validation-error': 'declined',
  'insufficient-funds': 'declined',
  'recipient-refused': 'declined',
  'checkout-refund-failed': 'declined',
}
