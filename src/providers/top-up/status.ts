import type { Words } from '../protocol.ts'

/** What has become of a top-up. `REFUNDED`: it failed, and we have our money back. */
export const topUpStatuses: Words<'pending' | 'succeeded' | 'declined'> = {
  PROCESSING: 'pending',
  SUCCESSFUL: 'succeeded',
  REFUNDED: 'declined',
  FAILED: 'declined',
}

/** Why an order was not taken. All other codes tell nothing about it. */
export const errorCodes: Words<'accepted' | 'declined'> = {
  // It has our order already.
  CUSTOM_IDENTIFIER_ALREADY_USED: 'accepted',
  INVALID_AMOUNT: 'declined',
  INVALID_AMOUNT_FOR_OPERATOR: 'declined',
  INVALID_RECIPIENT_PHONE: 'declined',
  RECIPIENT_REFUSED: 'declined',
  INSUFFICIENT_BALANCE: 'declined',
}
