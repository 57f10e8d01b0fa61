import type { CodeTable } from '../code-table.ts'
import type { DeclineCause } from '../contract.ts'

/** States of a request. `completed`: the request was processed; the transaction has the result. */
export const requestStates: CodeTable<'pending' | 'completed' | 'failed'> = {
  pending: 'pending',
  completed: 'completed',
  failed: 'failed',
}

/** `transactionStatus` is free text; it is compared in lower case. */
export const transactionStatuses: CodeTable = {
  pending: 'pending',
  'in progress': 'pending',
  initiated: 'pending',
  completed: 'succeeded',
  successful: 'succeeded',
  failed: 'declined',
  declined: 'declined',
}

/**
 * Codes that decline an order for certain. `genericError` and the codes about the provider's own
 * state or our access to it are missing on purpose: they say nothing about the order.
 */
export const errorCodes: CodeTable<'accepted' | DeclineCause> = {
  // The provider has our order already.
  duplicateRequest: 'accepted',
  dailyVolumeLimitExceeded: 'limit_reached',
  dailyValueLimitExceeded: 'limit_reached',
  weeklyVolumeLimitExceeded: 'limit_reached',
  weeklyValueLimitExceeded: 'limit_reached',
  monthlyVolumeLimitExceeded: 'limit_reached',
  monthlyValueLimitExceeded: 'limit_reached',
  accountMaxTotalVolumeExceeded: 'limit_reached',
  accountMaxTotalValueExceeded: 'limit_reached',
  lessThanTransactionMinValue: 'declined',
  greaterThanTransactionMaxValue: 'limit_reached',
  maxBalanceExceeded: 'limit_reached',
  samePartiesError: 'declined',
  insufficientFunds: 'balance_low',
  transactionTypeError: 'declined',
  currencyNotSupported: 'declined',
  identifierError: 'payer_not_found',
  requestDeclined: 'declined',
  // Our mistake, rejected before the order was processed.
  formatError: 'declined',
  lengthError: 'declined',
  negativeValue: 'declined',
  mandatoryValueNotSupplied: 'declined',
}

/** Codes that decline the payment of a bill, in addition to those above. */
export const billErrorCodes: CodeTable<'declined' | 'already_paid'> = {
  incorrectState: 'already_paid',
  underPaymentNotAllowed: 'declined',
  overPaymentNotAllowed: 'declined',
}

/** Statuses of a bill; a partly paid bill still has an amount due. */
export const billStatuses: CodeTable<'paid' | 'unpaid'> = {
  paid: 'paid',
  unpaid: 'unpaid',
  partialpaid: 'unpaid',
}

/** The published codes do not say what the payer did; the error parameter `cause` may. */
export const causes: CodeTable<'payer_refused' | 'payer_timeout'> = {
  payerRejected: 'payer_refused',
  promptExpired: 'payer_timeout',
}
