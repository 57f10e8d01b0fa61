import type { CodeTable } from '../code-table.ts'
import type { DeclineCause } from '../contract.ts'

/** Statuses of an invoice that a customer pays. */
export const invoiceStatuses: CodeTable = {
  pending: 'pending',
  completed: 'succeeded',
  cancelled: 'payer_refused',
  expired: 'code_expired',
  failed: 'declined',
}

/** Statuses of a payout. `created`: its invoice was never submitted. */
export const payoutStatuses: CodeTable<'never_submitted' | 'pending' | 'succeeded' | 'declined'> = {
  created: 'never_submitted',
  pending: 'pending',
  success: 'succeeded',
  failed: 'declined',
}

/** Why an invoice was cancelled or failed; its status does not distinguish the reasons. */
export const failReasons: CodeTable<DeclineCause> = {
  Expired: 'code_expired',
  'Insufficient funds': 'balance_low',
}

/** Answers to an order. 1001: the provider has our payout already. */
export const responseCodes: CodeTable<'taken' | 'declined'> = {
  '00': 'taken',
  '1001': 'taken',
  // Our mistake, rejected before the order was processed.
  '1003': 'declined',
}

/** Answers to a one-time code. "Already processed": the same code was accepted before. */
export const confirmMessages: CodeTable<'wrong_code' | 'accepted' | 'balance_low'> = {
  'Invalid code': 'wrong_code',
  'Already processed': 'accepted',
  'Insufficient funds': 'balance_low',
}
