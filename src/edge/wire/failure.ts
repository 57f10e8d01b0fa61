import { Type } from 'typebox'
import type { Language } from '#base/kit/language.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { attemptsMax, type Link } from '#money/links/link.ts'
import type { DeclineCause } from '#money/providers/contract.ts'
import { isMeterTopUp, type Transaction } from '#money/transactions/transaction.ts'
import { sentence } from './error.ts'
import { OneOf } from './one-of.ts'

/** Of what a person ended, who has looked into the records of the provider. */
export const operatorDecision = reason('Closed by support after checking with the provider')

/** Every code, with its sentence; `true`: the same payment may succeed when it is tried again. */
const failures = {
  PAYER_BALANCE_LOW: [true, reason("The customer's balance is too low")],
  PAYER_REFUSED: [true, reason('The customer refused the payment')],
  PAYER_NO_ANSWER: [true, reason('The customer did not confirm in time')],
  PAYER_LIMIT_REACHED: [true, reason("A limit of the customer's wallet is reached")],
  PAYER_NOT_FOUND: [false, reason('The number has no wallet at this provider')],
  PAYER_BLOCKED: [false, reason("The customer's wallet cannot take part in this payment")],
  WRONG_CODE: [true, reason('The customer entered wrong codes only')],
  CODE_EXPIRED: [true, reason('The customer entered no code in time')],
  PROVIDER_DECLINED: [false, reason('The provider declined the payment')],
  PROVIDER_UNAVAILABLE: [true, reason('The provider could not be reached: nothing was ordered')],
  BILL_REFUSED: [false, reason('The biller refused the payment')],
  BILL_ALREADY_PAID: [false, reason('This bill is already paid')],
  METER_REFUSED: [false, reason('The biller refused to top this meter up')],
  OPERATOR_DECISION: [false, operatorDecision],
  LINK_EXPIRED: [false, reason('The payment link expired before it was paid')],
  LINK_GIVEN_UP: [false, reason('The customer abandoned the payment link')],
  UNSPECIFIED: [false, reason('It failed without a known reason')],
} as const satisfies Record<string, [isRetryable: boolean, Reason]>

export type FailureCode = keyof typeof failures

export const FailureWire = Type.Object(
  {
    code: OneOf(Object.keys(failures) as FailureCode[], {
      title: 'Failure code',
      description: 'A closed list',
    }),
    message: Type.String(),
    retryable: Type.Boolean({ description: 'Whether the same payment may succeed later' }),
  },
  { title: 'Failure', description: 'Why it ended without success; absent otherwise' },
)

const codes: Record<DeclineCause, FailureCode> = {
  declined: 'PROVIDER_DECLINED',
  balance_low: 'PAYER_BALANCE_LOW',
  limit_reached: 'PAYER_LIMIT_REACHED',
  payer_not_found: 'PAYER_NOT_FOUND',
  payer_blocked: 'PAYER_BLOCKED',
  payer_refused: 'PAYER_REFUSED',
  payer_timeout: 'PAYER_NO_ANSWER',
  already_paid: 'BILL_ALREADY_PAID',
  wrong_code: 'WRONG_CODE',
  code_expired: 'CODE_EXPIRED',
  unavailable: 'PROVIDER_UNAVAILABLE',
  operator: 'OPERATOR_DECISION',
}

/** The code of a transaction that ended without success; undefined for any other. */
export function failureCodeOf(transaction: Transaction): FailureCode | undefined {
  const { status, failure, operation } = transaction
  if (status !== 'FAILED' && status !== 'CANCELLED') return undefined
  if (failure === null) return 'UNSPECIFIED'
  if (operation === 'BILL' && !namedForBills.has(failure))
    return isMeterTopUp(transaction) ? 'METER_REFUSED' : 'BILL_REFUSED'
  return codes[failure]
}

// A biller's other causes are not about a payer's wallet.
const namedForBills = new Set<DeclineCause>(['already_paid', 'unavailable', 'operator'])

/** The code of a link that ended unpaid. `payment` is its last one. */
export function linkFailureCodeOf(
  { status, attempts }: Link,
  payment: Transaction | null,
): FailureCode | undefined {
  if (status === 'EXPIRED') return 'LINK_EXPIRED'
  if (status !== 'FAILED') return undefined
  const last = payment === null || attempts < attemptsMax ? undefined : failureCodeOf(payment)
  return last ?? 'LINK_GIVEN_UP'
}

/** `failure` of an answer, to be spread into it; nothing without a code. */
export function writeFailure(code: FailureCode | undefined, language: Language) {
  if (code === undefined) return {}
  const [retryable, text] = failures[code]
  return { failure: { code, message: sentence(text, language), retryable } }
}

/** The sentence of a code; empty without one. */
export function failureMessage(code: FailureCode | undefined, language: Language): string {
  return code === undefined ? '' : sentence(failures[code][1], language)
}

/** Every code with its sentence, for people who read about them. */
export function failureRows(language: Language) {
  return (Object.keys(failures) as FailureCode[]).map((code) => ({
    code,
    message: failureMessage(code, language),
    retryable: failures[code][0],
  }))
}

/** What was charged: nothing when it ended without success, and what will be while it is open. */
export function chargedFee({ status, fee }: Pick<Transaction, 'status' | 'fee'>): number {
  return status === 'FAILED' || status === 'CANCELLED' ? 0 : fee
}
