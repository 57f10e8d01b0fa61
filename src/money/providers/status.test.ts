import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import {
  attemptOf,
  connectorOf,
  meterPayment,
  query,
  submit,
  topUpState,
} from '#test/provider-answers.ts'
import * as checkoutSession from './checkout-session/status.ts'
import type { ConfirmOutcome, Outcome } from './contract.ts'
import * as gsma from './gsma/status.ts'
import * as otpConfirm from './otp-confirm/status.ts'
import * as requestToPay from './request-to-pay/status.ts'
import * as topUp from './top-up/status.ts'

/** Every status code and error code of every protocol, and its meaning. */
interface Table {
  name: string
  /** The outcome when the provider answers with this code. */
  outcomeOf(code: string): Promise<Outcome | ConfirmOutcome>
  /** For every listed code the kind of the outcome, or the cause of a decline; `*`: any other. */
  meanings: Record<string, string>
}

const money = { amount: '500', currency: 'XOF' }

const limits = ['daily', 'weekly', 'monthly'].flatMap((span) => [
  `${span}VolumeLimitExceeded`,
  `${span}ValueLimitExceeded`,
])
const gsmaLimits = [
  ...limits,
  'accountMaxTotalVolumeExceeded',
  'accountMaxTotalValueExceeded',
  'greaterThanTransactionMaxValue',
  'maxBalanceExceeded',
]
const gsmaDeclines = [
  'lessThanTransactionMinValue',
  'samePartiesError',
  'transactionTypeError',
  'currencyNotSupported',
  'requestDeclined',
  'formatError',
  'lengthError',
  'negativeValue',
  'mandatoryValueNotSupplied',
]
const gsmaCodes = {
  duplicateRequest: 'accepted',
  ...Object.fromEntries(gsmaDeclines.map((code) => [code, 'declined'])),
  ...Object.fromEntries(gsmaLimits.map((code) => [code, 'limit_reached'])),
  insufficientFunds: 'balance_low',
  identifierError: 'payer_not_found',
}
const billCodes = {
  ...gsmaCodes,
  incorrectState: 'already_paid',
  underPaymentNotAllowed: 'declined',
  overPaymentNotAllowed: 'declined',
}
const payReasons = {
  APPROVAL_REJECTED: 'payer_refused',
  EXPIRED: 'payer_timeout',
  PAYER_NOT_FOUND: 'payer_not_found',
  PAYEE_NOT_FOUND: 'payer_not_found',
  NOT_ENOUGH_FUNDS: 'balance_low',
  PAYER_LIMIT_REACHED: 'limit_reached',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'payer_blocked',
  NOT_ALLOWED: 'declined',
  INVALID_CURRENCY: 'declined',
}

const meterStatuses = {
  PROCESSING: 'pending',
  SUCCESSFUL: 'succeeded',
  REFUNDED: 'declined',
  FAILED: 'declined',
}

const tables: Table[] = [
  {
    name: 'gsma transactionStatus',
    outcomeOf: (code) =>
      query('gsma', 'collect', null, ({ path }) =>
        path.startsWith('/responses')
          ? [200, { link: '/transactions/T1' }]
          : [200, { transactionReference: 'T1', transactionStatus: code, ...money }],
      ),
    meanings: {
      pending: 'pending',
      'in progress': 'pending',
      initiated: 'pending',
      completed: 'succeeded',
      Completed: 'succeeded',
      successful: 'succeeded',
      failed: 'declined',
      declined: 'declined',
    },
  },
  {
    name: 'gsma request state',
    outcomeOf: (code) =>
      submit('gsma', 'collect', null, () => [202, { serverCorrelationId: 's', status: code }]),
    meanings: { pending: 'accepted', completed: 'accepted' },
  },
  {
    name: 'gsma error of a request that failed',
    outcomeOf: (code) =>
      submit('gsma', 'collect', null, () => [
        202,
        { serverCorrelationId: 's', status: 'failed', error: { errorCode: code } },
      ]),
    meanings: gsmaCodes,
  },
  {
    name: 'gsma error of an order',
    outcomeOf: (code) => submit('gsma', 'disburse', null, () => [500, { errorCode: code }]),
    meanings: gsmaCodes,
  },
  {
    name: 'gsma cause',
    outcomeOf: (code) =>
      submit('gsma', 'collect', null, () => [
        400,
        { errorCode: 'requestDeclined', errorParameters: [{ key: 'cause', value: code }] },
      ]),
    meanings: { payerRejected: 'payer_refused', promptExpired: 'payer_timeout', '*': 'declined' },
  },
  {
    name: 'gsma error of a bill',
    outcomeOf: (code) => submit('gsma', 'pay_bill', null, () => [400, { errorCode: code }]),
    meanings: billCodes,
  },
  {
    name: 'gsma error of a bill that failed later',
    outcomeOf: (code) =>
      query('gsma', 'pay_bill', 's', () => [
        200,
        { serverCorrelationId: 's', status: 'failed', error: { errorCode: code } },
      ]),
    meanings: billCodes,
  },
  {
    name: 'gsma status of a bill payment',
    outcomeOf: (code) =>
      submit('gsma', 'pay_bill', null, () => [
        201,
        {
          serviceProviderPaymentReference: 'P1',
          billPaymentStatus: code,
          amountPaid: '500',
          currency: 'XOF',
        },
      ]),
    meanings: { completed: 'succeeded', Completed: 'succeeded', successful: 'succeeded' },
  },
  {
    name: 'gsma status of a bill',
    outcomeOf: async (code) => {
      const bill = { billReference: 'B1', billStatus: code, amountDue: '500', currency: 'XOF' }
      const inquiry = await connectorOf('gsma', () => [200, [bill]]).inquire?.('42')
      // As an outcome, so that all tables have one form.
      if (inquiry?.kind !== 'found') return { kind: 'unknown', reason: '', reference: null }
      return inquiry.bills[0]?.isPaid
        ? { kind: 'declined', cause: 'already_paid', reason: '', reference: null }
        : { kind: 'pending', reference: null }
    },
    meanings: { paid: 'already_paid', unpaid: 'pending', partialpaid: 'pending' },
  },
  {
    name: 'request-to-pay status',
    outcomeOf: (code) =>
      query('request-to-pay', 'collect', null, () => [
        200,
        { status: code, reason: 'APPROVAL_REJECTED', financialTransactionId: '9', ...money },
      ]),
    meanings: { PENDING: 'pending', SUCCESSFUL: 'succeeded', FAILED: 'payer_refused' },
  },
  {
    name: 'request-to-pay reason',
    outcomeOf: (code) =>
      query('request-to-pay', 'disburse', null, () => [200, { status: 'FAILED', reason: code }]),
    meanings: payReasons,
  },
  {
    name: 'request-to-pay reason in an object',
    outcomeOf: (code) =>
      query('request-to-pay', 'disburse', null, () => [
        200,
        { status: 'FAILED', reason: { code, message: 'x' } },
      ]),
    meanings: payReasons,
  },
  {
    name: 'request-to-pay code of an order',
    outcomeOf: (code) => submit('request-to-pay', 'collect', null, () => [500, { code }]),
    meanings: payReasons,
  },
  {
    name: 'otp-confirm invoice',
    outcomeOf: (code) =>
      query('otp-confirm', 'collect', 'inv:TX1', () => [
        200,
        { status: code, invoice: { total_amount: 500 } },
      ]),
    meanings: {
      pending: 'pending',
      completed: 'succeeded',
      cancelled: 'payer_refused',
      failed: 'declined',
      expired: 'code_expired',
    },
  },
  {
    name: 'otp-confirm reason of a cancelled invoice',
    outcomeOf: (code) =>
      query('otp-confirm', 'collect', 'inv', () => [
        200,
        { status: 'cancelled', fail_reason: code, invoice: { total_amount: 500 } },
      ]),
    meanings: {
      Expired: 'code_expired',
      'Insufficient funds': 'balance_low',
      '*': 'payer_refused',
    },
  },
  {
    name: 'otp-confirm payout',
    outcomeOf: (code) =>
      query('otp-confirm', 'disburse', 'inv', () => [
        200,
        { status: code, amount: 500, transaction_id: 'PO1' },
      ]),
    meanings: {
      created: 'not_found',
      pending: 'pending',
      success: 'succeeded',
      failed: 'declined',
    },
  },
  {
    name: 'otp-confirm response code',
    outcomeOf: (code) =>
      submit('otp-confirm', 'disburse', 'inv', () => [200, { response_code: code }]),
    meanings: { '00': 'accepted', '1001': 'accepted', '1003': 'declined' },
  },
  {
    name: 'otp-confirm message about a code',
    outcomeOf: async (code) =>
      (await connectorOf('otp-confirm', () => [200, { success: false, message: code }]).confirm?.(
        attemptOf('collect', 'inv:TX1'),
        '1234',
      )) ?? assert.fail(),
    meanings: {
      'Invalid code': 'wrong_code',
      'Already processed': 'accepted',
      'Insufficient funds': 'balance_low',
    },
  },
  {
    name: 'checkout-session statuses',
    outcomeOf: (code) => {
      const [checkout_status, payment_status] = code.split('/')
      return query('checkout-session', 'collect', 'cos-1', () => [
        200,
        { id: 'cos-1', launch_url: 'https://x.y', checkout_status, payment_status, ...money },
      ])
    },
    meanings: {
      'open/processing': 'accepted',
      'open/cancelled': 'accepted',
      'complete/processing': 'accepted',
      'complete/succeeded': 'succeeded',
      'complete/cancelled': 'payer_refused',
      'expired/processing': 'accepted',
      'expired/cancelled': 'payer_timeout',
    },
  },
  {
    name: 'checkout-session error of a payment',
    outcomeOf: (code) => {
      const ended = { checkout_status: 'complete', payment_status: 'cancelled' }
      const error = { last_payment_error: { code, message: '' } }
      return query('checkout-session', 'collect', 'cos-1', () => [
        200,
        { id: 'cos-1', launch_url: 'https://x.y', ...ended, ...error, ...money },
      ])
    },
    meanings: {
      'insufficient-funds': 'balance_low',
      'blocked-account': 'payer_blocked',
      'kyb-limits-exceeded': 'limit_reached',
      '*': 'declined',
    },
  },
  {
    name: 'checkout-session payout',
    outcomeOf: (code) =>
      query('checkout-session', 'disburse', 'pt-1', () => [
        200,
        { id: 'pt-1', status: code, receive_amount: '500', currency: 'XOF' },
      ]),
    meanings: { processing: 'accepted', succeeded: 'succeeded', failed: 'declined' },
  },
  {
    name: 'checkout-session code of an order',
    outcomeOf: (code) => submit('checkout-session', 'disburse', null, () => [400, { code }]),
    meanings: {
      'idempotency-mismatch': 'accepted',
      'request-validation-error': 'declined',
      'insufficient-funds': 'balance_low',
      'recipient-refused': 'payer_blocked',
      'checkout-refund-failed': 'declined',
    },
  },
  {
    name: 'top-up status',
    outcomeOf: (code) =>
      query('top-up', 'top_up', '12', () => [200, { status: code, transaction: topUpState(code) }]),
    meanings: {
      PROCESSING: 'pending',
      SUCCESSFUL: 'succeeded',
      REFUNDED: 'declined',
      FAILED: 'declined',
    },
  },
  {
    name: 'top-up status of a meter',
    outcomeOf: (code) =>
      query('top-up', 'pay_bill', '12', () => [200, { transaction: meterPayment(code) }]),
    meanings: meterStatuses,
  },
  {
    name: 'top-up status of a meter, found by our id',
    outcomeOf: (code) =>
      query('top-up', 'pay_bill', null, () => [200, { content: [meterPayment(code)] }]),
    meanings: meterStatuses,
  },
  {
    name: 'top-up status of a meter at once',
    outcomeOf: (code) => submit('top-up', 'pay_bill', null, () => [200, meterPayment(code)]),
    meanings: meterStatuses,
  },
  {
    name: 'top-up code of a meter',
    outcomeOf: (code) => submit('top-up', 'pay_bill', null, () => [400, { errorCode: code }]),
    meanings: {
      REFERENCE_ID_ALREADY_USED: 'accepted',
      PAYMENT_REFUSED: 'declined',
      SUBSCRIBER_NOT_FOUND: 'declined',
      INVALID_AMOUNT: 'declined',
      INSUFFICIENT_BALANCE: 'declined',
    },
  },
  {
    name: 'top-up code of an order',
    outcomeOf: (code) => submit('top-up', 'top_up', null, () => [400, { errorCode: code }]),
    meanings: {
      CUSTOM_IDENTIFIER_ALREADY_USED: 'accepted',
      INVALID_AMOUNT: 'declined',
      INVALID_AMOUNT_FOR_OPERATOR: 'declined',
      INVALID_RECIPIENT_PHONE: 'payer_not_found',
      RECIPIENT_REFUSED: 'payer_blocked',
      INSUFFICIENT_BALANCE: 'balance_low',
    },
  },
]

function meaningOf(outcome: Outcome | ConfirmOutcome): string {
  return outcome.kind === 'declined' ? outcome.cause : outcome.kind
}

for (const { name, outcomeOf, meanings } of tables)
  describe(name, () => {
    const { '*': otherwise = 'unknown', ...listed } = meanings
    for (const [code, meaning] of Object.entries(listed))
      it(`${code} → ${meaning}`, async () => {
        assert.equal(meaningOf(await outcomeOf(code)), meaning)
      })

    it(`anything else → ${otherwise}`, async () => {
      const others = fc
        .oneof(
          fc.string(),
          fc.constantFrom('constructor', '__proto__', 'toString', 'genericError', 'ok', ''),
          fc.constantFrom(...Object.keys(listed)).map((code) => `${code} `),
        )
        .filter(
          (code) => !Object.hasOwn(listed, code) && !Object.hasOwn(listed, code.toLowerCase()),
        )
      await fc.assert(
        fc.asyncProperty(others, async (code) => {
          assert.equal(meaningOf(await outcomeOf(code)), otherwise)
        }),
      )
    })
  })

test('every code in the tables of the connectors is tested here', () => {
  const listed = Object.entries({
    gsma,
    'request-to-pay': requestToPay,
    'otp-confirm': otpConfirm,
    'checkout-session': checkoutSession,
    'top-up': topUp,
  }).flatMap(([protocol, status]) =>
    Object.values(status).flatMap((table) => Object.keys(table).map((code) => [protocol, code])),
  )
  const missing = listed.filter(
    ([protocol = '', code = '']) =>
      !tables.some(
        ({ name, meanings }) => name.startsWith(protocol) && Object.hasOwn(meanings, code),
      ),
  )
  assert.ok(listed.length > 50)
  assert.deepEqual(missing, [])
})
