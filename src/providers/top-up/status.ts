import type { Words } from '../protocol.ts'

/** What has become of a top-up. `REFUNDED`: it failed, and we have our money back. */
export const topUpStatuses: Words<'pending' | 'succeeded' | 'declined'> = {
  PROCESSING: 'pending',
  SUCCESSFUL: 'succeeded',
  REFUNDED: 'declined',
  FAILED: 'declined',
}

/** Why a meter was not topped up, in codes that say so for certain. */
export const payErrorCodes: Words<'accepted' | 'declined'> = {
  // It has our order already.
  REFERENCE_ID_ALREADY_USED: 'accepted',
  PAYMENT_REFUSED: 'declined',
  SUBSCRIBER_NOT_FOUND: 'declined',
  INVALID_AMOUNT: 'declined',
  INSUFFICIENT_BALANCE: 'declined',
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
