import { after } from '#base/kit/clock.ts'
import { newIdVersion4 } from '#base/kit/ids.ts'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import type { StatusOf } from '#money/lifecycle/transitions.ts'
import { type DeclineCause, type Operation, operationFor } from '#money/providers/contract.ts'

/** The lease of the process that sends an order: longer than any provider's deadline. */
export const ownLeaseMs = 20_000

export type TransactionStatus = StatusOf<'transaction'>

/** Every status, in the order of a transaction's life. */
export const transactionStatuses = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const satisfies TransactionStatus[]

/** Every kind of transaction. */
export const operations = ['CASHOUT', 'CASHIN', 'AIRTIME', 'BILL', 'REFUND'] as const

/**
 * What is known of the current attempt. `recorded`: committed, perhaps sent. `prepared`: its first
 * step, which moves no money, is done. `taken`: the provider has it. `unknown`: the answer was
 * lost. `not_sent`: proven that nothing was sent. `parked`: only an operator can continue.
 */
export type AttemptState = 'recorded' | 'prepared' | 'taken' | 'unknown' | 'not_sent' | 'parked'

/** What was ordered: fixed once it is recorded. */
export interface Order extends OrderDetails {
  clientId: number
  keyId: string
  externalId: string | null
  amount: number
  fee: number
  /** The customer's phone; of a bill, the meter or customer number. */
  phone: string
  payeeName: string
  callbackUrl: string | null
  successUrl: string
  failureUrl: string
}

/** The parts of an order that only some have. */
export interface OrderDetails {
  subMerchantId: string | null
  /** The payment link it pays; its merchant gets the link's event instead of its own. */
  linkId: string | null
  /** The bill that it pays; null for a top-up of a prepaid meter. */
  billReference: string | null
  customData: string | null
}

/** What identifies a transaction: ids are looked up within their client. */
export interface TransactionId {
  clientId: number
  id: string
}

/** What identifies an attempt. */
export interface AttemptId {
  clientId: number
  id: string
}

/** One movement of money through a provider. */
export interface Transaction extends Order {
  id: string
  operation: (typeof operations)[number]
  serviceCode: string
  reason: string | null
  /** The collection that a refund sends back. */
  originalId: string | null
  /** Of a refund of late money: the provider's reference of the payment that it sends back. */
  lateReference: string | null
  /** How much of a collection was refunded, refunds under way included. */
  refunded: number
  status: TransactionStatus
  attemptId: string
  attemptNumber: number
  attemptState: AttemptState
  /**
   * By when a request of this attempt has reached the provider, or never will: the end of the
   * sender's lease, and once its answer is known to be lost, the time of that.
   */
  attemptedAt: Date
  reference: string | null
  /** Recharge codes, sealed. */
  sealedToken: string | null
  /** Why it did not succeed. */
  failure: DeclineCause | null
  paymentUrl: string | null
  polls: number
  otpTries: number
  /** Codes that the provider rejected; the outcome of any other try may be open. */
  otpWrong: number
  /** When the payer's one-time code was sent to the provider. */
  confirmedAt: Date | null
  holdId: string | null
  balanceBefore: number | null
  balanceAfter: number | null
  createdAt: Date
  completedAt: Date | null
  dueAt: Date | null
  /** Incremented with every change of status, attempt, money or refunds. */
  version: number
}

/** The catalogue's entry of a transaction's service. */
export function serviceOf(transaction: { serviceCode: string }): Service {
  const service = parseServiceCode(transaction.serviceCode)
  if (service === undefined) throw new Error(`unknown service ${transaction.serviceCode}`)
  return service
}

/** Whether the merchant pays: its money is held until the outcome is known. */
export function isDebit(transaction: Pick<Transaction, 'operation'>): boolean {
  return transaction.operation !== 'CASHOUT'
}

/** Whether it buys recharge codes for a prepaid meter. */
export function isMeterTopUp(transaction: Pick<Transaction, 'operation' | 'billReference'>) {
  return transaction.operation === 'BILL' && transaction.billReference === null
}

/** Whether a top-up was paid and its recharge code is not known: the provider is asked for it. */
export function isTokenMissing(
  transaction: Pick<Transaction, 'operation' | 'billReference' | 'status' | 'sealedToken'>,
): boolean {
  const { status, sealedToken } = transaction
  return status === 'SUCCESS' && sealedToken === null && isMeterTopUp(transaction)
}

/** What the provider is asked to do; a refund is a reversal where there is one, else a payout. */
export function providerOperation(
  operation: Transaction['operation'],
  canReverse: boolean,
): Operation {
  if (operation === 'REFUND') return canReverse ? 'reverse' : 'disburse'
  return operationFor[operation]
}

/** The state of every new transaction: one attempt, not sent yet. */
export function freshAttempt(now: Date) {
  return {
    status: 'PENDING',
    refunded: 0,
    attemptId: newIdVersion4(now),
    attemptNumber: 1,
    attemptState: 'recorded',
    attemptedAt: after(now, ownLeaseMs),
    reference: null,
    sealedToken: null,
    failure: null,
    paymentUrl: null,
    polls: 0,
    otpTries: 0,
    otpWrong: 0,
    confirmedAt: null,
    createdAt: now,
    completedAt: null,
    dueAt: after(now, ownLeaseMs),
    version: 0,
  } as const
}

/** What is said of every step of a transaction. */
export function stepAttributes({ clientId, serviceCode, operation }: Transaction) {
  return {
    'passerelle.client_id': clientId,
    'passerelle.service_code': serviceCode,
    'passerelle.operation': operation,
  }
}
