import type { CodeTable } from '../code-table.ts'
import type { DeclineCause } from '../contract.ts'

/** Statuses of a top-up. `REFUNDED`: it failed, and the provider has given the money back to us. */
export const topUpStatuses: CodeTable<'pending' | 'succeeded' | 'declined'> = {
  PROCESSING: 'pending',
  SUCCESSFUL: 'succeeded',
  REFUNDED: 'declined',
  FAILED: 'declined',
}

/** Codes that decline a top-up of a meter for certain; other codes say nothing about the order. */
export const payErrorCodes: CodeTable<'accepted' | 'declined'> = {
  // The provider has our order already.
  REFERENCE_ID_ALREADY_USED: 'accepted',
  PAYMENT_REFUSED: 'declined',
  SUBSCRIBER_NOT_FOUND: 'declined',
  INVALID_AMOUNT: 'declined',
  INSUFFICIENT_BALANCE: 'declined',
}

/** Codes that decline an airtime order for certain; other codes say nothing about the order. */
export const errorCodes: CodeTable<'accepted' | DeclineCause> = {
  // The provider has our order already.
  CUSTOM_IDENTIFIER_ALREADY_USED: 'accepted',
  INVALID_AMOUNT: 'declined',
  INVALID_AMOUNT_FOR_OPERATOR: 'declined',
  INVALID_RECIPIENT_PHONE: 'payer_not_found',
  RECIPIENT_REFUSED: 'payer_blocked',
  // Of our account at the provider.
  INSUFFICIENT_BALANCE: 'balance_low',
}
