import type { Words } from '../protocol.ts'

/** What the state of a request says. `completed`: the transaction tells the rest. */
export const requestStates: Words<'pending' | 'completed' | 'failed'> = {
  pending: 'pending',
  completed: 'completed',
  failed: 'failed',
}

/** `transactionStatus` is free text; these words are taken in lower case. */
export const transactionStatuses: Words = {
  pending: 'pending',
  'in progress': 'pending',
  initiated: 'pending',
  completed: 'succeeded',
  successful: 'succeeded',
  failed: 'declined',
  declined: 'declined',
}

/**
 * Codes that say no for certain. `genericError` and everything about the provider's own state or
 * our access to it is missing on purpose: it tells nothing about the order.
 */
export const errorCodes: Words<'accepted' | 'declined'> = {
  // It has our order already.
  duplicateRequest: 'accepted',
  dailyVolumeLimitExceeded: 'declined',
  dailyValueLimitExceeded: 'declined',
  weeklyVolumeLimitExceeded: 'declined',
  weeklyValueLimitExceeded: 'declined',
  monthlyVolumeLimitExceeded: 'declined',
  monthlyValueLimitExceeded: 'declined',
  accountMaxTotalVolumeExceeded: 'declined',
  accountMaxTotalValueExceeded: 'declined',
  lessThanTransactionMinValue: 'declined',
  greaterThanTransactionMaxValue: 'declined',
  maxBalanceExceeded: 'declined',
  samePartiesError: 'declined',
  insufficientFunds: 'declined',
  transactionTypeError: 'declined',
  currencyNotSupported: 'declined',
  identifierError: 'declined',
  requestDeclined: 'declined',
  // Our mistake, found before anything was done.
  formatError: 'declined',
  lengthError: 'declined',
  negativeValue: 'declined',
  mandatoryValueNotSupplied: 'declined',
}

/** Codes that say no to the payment of a bill, beside those above. */
export const billErrorCodes: Words<'declined' | 'already_paid'> = {
  incorrectState: 'already_paid',
  underPaymentNotAllowed: 'declined',
  overPaymentNotAllowed: 'declined',
}

/** Whether a bill is settled; one that is paid in part still has an amount due. */
export const billStatuses: Words<'paid' | 'unpaid'> = {
  paid: 'paid',
  unpaid: 'unpaid',
  partialpaid: 'unpaid',
}

/** The published codes do not say what the payer did; the parameter `cause` of an error may. */
export const causes: Words<'payer_refused' | 'payer_timeout'> = {
  payerRejected: 'payer_refused',
  promptExpired: 'payer_timeout',
}
