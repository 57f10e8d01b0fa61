import type { CodeTable } from '../code-table.ts'
import type { DeclineCause } from '../contract.ts'

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

/** Why a wallet declined a payment that its payer had approved; any other code declines it too. */
export const paymentErrors: CodeTable<DeclineCause> = {
  'insufficient-funds': 'balance_low',
  'blocked-account': 'payer_blocked',
  'kyb-limits-exceeded': 'limit_reached',
}

/** Codes that decline an order for certain; other codes say nothing about the order. */
export const errorCodes: CodeTable<'accepted' | DeclineCause> = {
  // The provider has our order already.
  'idempotency-mismatch': 'accepted',
  'request-validation-error': 'declined',
  'insufficient-funds': 'balance_low',
  'recipient-refused': 'payer_blocked',
  'checkout-refund-failed': 'declined',
}
