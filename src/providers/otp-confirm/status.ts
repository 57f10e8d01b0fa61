import type { Words } from '../protocol.ts'

/** What has become of an invoice that a customer pays. */
export const invoiceStatuses: Words = {
  pending: 'pending',
  completed: 'succeeded',
  cancelled: 'payer_refused',
  failed: 'declined',
}

/** What has become of a payout. `created`: its invoice was never submitted. */
export const payoutStatuses: Words<'never_submitted' | 'pending' | 'succeeded' | 'declined'> = {
  created: 'never_submitted',
  pending: 'pending',
  success: 'succeeded',
  failed: 'declined',
}

/** Why a cancelled invoice was: the status does not tell a refusal from a prompt that ran out. */
export const cancelReasons: Words<'payer_timeout'> = {
  Expired: 'payer_timeout',
}

/** Answers to an order. 1001: it has our payout already. */
export const responseCodes: Words<'taken' | 'declined'> = {
  '00': 'taken',
  '1001': 'taken',
  // Our mistake, found before anything was done.
  '1003': 'declined',
}

/** What is said when a code is not taken. A code that was processed already had been taken. */
export const confirmMessages: Words<'wrong_code' | 'accepted' | 'declined'> = {
  'Invalid code': 'wrong_code',
  'Already processed': 'accepted',
  'Insufficient funds': 'declined',
}
