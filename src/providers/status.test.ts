import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import type { Service } from '../catalog/services.ts'
import { services } from '../catalog/services.ts'
import * as checkoutSession from './checkout-session/status.ts'
import type { Attempt, ConfirmOutcome, Operation, Outcome } from './contract.ts'
import * as gsma from './gsma/status.ts'
import type { Call, Reply } from './http.ts'
import * as otpConfirm from './otp-confirm/status.ts'
import { protocolNamed } from './protocols.ts'
import * as requestToPay from './request-to-pay/status.ts'
import * as topUp from './top-up/status.ts'

/*
 * Every word of every provider, and what it means to us. The provider is a function here: a request
 * goes in, an answer comes out.
 */
type Answers = (call: Call) => [status: number, body: object]

function connectorOf(name: string, answers: Answers) {
  const send = async (call: Call): Promise<Reply> => {
    const [status, body] = /token/.test(call.path)
      ? [200, { access_token: 'token', expires_in: 3600 }]
      : answers(call)
    return { kind: 'answered', status, headers: {}, body: JSON.stringify(body) }
  }
  const protocol = protocolNamed(name) ?? assert.fail(name)
  const credentials = Object.fromEntries(protocol.credentialNames.map((one) => [one, '1']))
  return protocol.open(send, credentials)
}

function attemptOf(operation: Operation, reference: string | null): Attempt {
  return {
    clientId: 7,
    id: 'b1946ac9-2d5f-4e0e-8f5d-6f1f3a1c0001',
    operation,
    service: services[0] as Service,
    amount: 500,
    currency: 'XOF',
    phone: '771234567',
    payeeName: 'Awa',
    callbackUrl: 'https://gateway.example/callbacks/1',
    successUrl: 'https://shop.example/ok',
    failureUrl: 'https://shop.example/no',
    reference,
    originalReference: 'original',
    billReference: null,
  }
}

interface Table {
  name: string
  /** Plays a word of the provider, and gives what became of the attempt. */
  say(word: string): Promise<Outcome | ConfirmOutcome>
  /** Kind, or cause of a decline; every word that is listed. */
  words: Record<string, string>
}

const money = { amount: '500', currency: 'XOF' }
const query = (name: string, operation: Operation, reference: string | null, answers: Answers) =>
  connectorOf(name, answers).query(attemptOf(operation, reference))
const submit = (name: string, operation: Operation, reference: string | null, answers: Answers) =>
  connectorOf(name, answers).submit(attemptOf(operation, reference))

const limits = ['daily', 'weekly', 'monthly'].flatMap((span) => [
  `${span}VolumeLimitExceeded`,
  `${span}ValueLimitExceeded`,
])
const gsmaNoes = [
  ...limits,
  'accountMaxTotalVolumeExceeded',
  'accountMaxTotalValueExceeded',
  'lessThanTransactionMinValue',
  'greaterThanTransactionMaxValue',
  'maxBalanceExceeded',
  'samePartiesError',
  'insufficientFunds',
  'transactionTypeError',
  'currencyNotSupported',
  'identifierError',
  'requestDeclined',
  'formatError',
  'lengthError',
  'negativeValue',
  'mandatoryValueNotSupplied',
]
const gsmaCodes = {
  duplicateRequest: 'accepted',
  ...Object.fromEntries(gsmaNoes.map((code) => [code, 'declined'])),
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
  PAYER_NOT_FOUND: 'declined',
  PAYEE_NOT_FOUND: 'declined',
  NOT_ENOUGH_FUNDS: 'declined',
  PAYER_LIMIT_REACHED: 'declined',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'declined',
  NOT_ALLOWED: 'declined',
  INVALID_CURRENCY: 'declined',
}

const meterWords = {
  PROCESSING: 'pending',
  SUCCESSFUL: 'succeeded',
  REFUNDED: 'declined',
  FAILED: 'declined',
}

function topUpState(status: string) {
  const delivered = { deliveredAmount: 500, deliveredAmountCurrencyCode: 'XOF' }
  return { transactionId: 12, status, ...delivered }
}

function meterPayment(status: string, token: unknown = '1234-5678-9012-3456-7890') {
  const billDetails = { pinDetails: { token } }
  return { id: 12, status, amount: 500, amountCurrencyCode: 'XOF', billDetails }
}

const tables: Table[] = [
  {
    name: 'gsma transactionStatus',
    say: (word) =>
      query('gsma', 'collect', null, ({ path }) =>
        path.startsWith('/responses')
          ? [200, { link: '/transactions/T1' }]
          : [200, { transactionReference: 'T1', transactionStatus: word, ...money }],
      ),
    words: {
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
    say: (word) =>
      submit('gsma', 'collect', null, () => [202, { serverCorrelationId: 's', status: word }]),
    words: { pending: 'accepted', completed: 'accepted' },
  },
  {
    name: 'gsma error of a request that failed',
    say: (word) =>
      submit('gsma', 'collect', null, () => [
        202,
        { serverCorrelationId: 's', status: 'failed', error: { errorCode: word } },
      ]),
    words: gsmaCodes,
  },
  {
    name: 'gsma error of an order',
    say: (word) => submit('gsma', 'disburse', null, () => [500, { errorCode: word }]),
    words: gsmaCodes,
  },
  {
    name: 'gsma cause',
    say: (word) =>
      submit('gsma', 'collect', null, () => [
        400,
        { errorCode: 'requestDeclined', errorParameters: [{ key: 'cause', value: word }] },
      ]),
    words: { payerRejected: 'payer_refused', promptExpired: 'payer_timeout', '*': 'declined' },
  },
  {
    name: 'gsma error of a bill',
    say: (word) => submit('gsma', 'pay_bill', null, () => [400, { errorCode: word }]),
    words: billCodes,
  },
  {
    name: 'gsma error of a bill that failed later',
    say: (word) =>
      query('gsma', 'pay_bill', 's', () => [
        200,
        { serverCorrelationId: 's', status: 'failed', error: { errorCode: word } },
      ]),
    words: billCodes,
  },
  {
    name: 'gsma status of a bill payment',
    say: (word) =>
      submit('gsma', 'pay_bill', null, () => [
        201,
        {
          serviceProviderPaymentReference: 'P1',
          billPaymentStatus: word,
          amountPaid: '500',
          currency: 'XOF',
        },
      ]),
    words: { completed: 'succeeded', Completed: 'succeeded', successful: 'succeeded' },
  },
  {
    name: 'gsma status of a bill',
    say: async (word) => {
      const bill = { billReference: 'B1', billStatus: word, amountDue: '500', currency: 'XOF' }
      const inquiry = await connectorOf('gsma', () => [200, [bill]]).inquire?.('42')
      // As an outcome, so that all tables read alike.
      if (inquiry?.kind !== 'found') return { kind: 'unknown', reason: '', reference: null }
      return inquiry.bills[0]?.isPaid
        ? { kind: 'declined', cause: 'already_paid', reason: '', reference: null }
        : { kind: 'pending', reference: null }
    },
    words: { paid: 'already_paid', unpaid: 'pending', partialpaid: 'pending' },
  },
  {
    name: 'request-to-pay status',
    say: (word) =>
      query('request-to-pay', 'collect', null, () => [
        200,
        { status: word, reason: 'APPROVAL_REJECTED', financialTransactionId: '9', ...money },
      ]),
    words: { PENDING: 'pending', SUCCESSFUL: 'succeeded', FAILED: 'payer_refused' },
  },
  {
    name: 'request-to-pay reason',
    say: (word) =>
      query('request-to-pay', 'disburse', null, () => [200, { status: 'FAILED', reason: word }]),
    words: payReasons,
  },
  {
    name: 'request-to-pay reason in an object',
    say: (word) =>
      query('request-to-pay', 'disburse', null, () => [
        200,
        { status: 'FAILED', reason: { code: word, message: 'x' } },
      ]),
    words: payReasons,
  },
  {
    name: 'request-to-pay code of an order',
    say: (word) => submit('request-to-pay', 'collect', null, () => [500, { code: word }]),
    words: payReasons,
  },
  {
    name: 'otp-confirm invoice',
    say: (word) =>
      query('otp-confirm', 'collect', 'inv:TX1', () => [
        200,
        { status: word, invoice: { total_amount: 500 } },
      ]),
    words: {
      pending: 'pending',
      completed: 'succeeded',
      cancelled: 'payer_refused',
      failed: 'declined',
    },
  },
  {
    name: 'otp-confirm reason of a cancelled invoice',
    say: (word) =>
      query('otp-confirm', 'collect', 'inv', () => [
        200,
        { status: 'cancelled', fail_reason: word, invoice: { total_amount: 500 } },
      ]),
    words: { Expired: 'payer_timeout', '*': 'payer_refused' },
  },
  {
    name: 'otp-confirm payout',
    say: (word) =>
      query('otp-confirm', 'disburse', 'inv', () => [
        200,
        { status: word, amount: 500, transaction_id: 'PO1' },
      ]),
    words: {
      created: 'not_found',
      pending: 'pending',
      success: 'succeeded',
      failed: 'declined',
    },
  },
  {
    name: 'otp-confirm response code',
    say: (word) => submit('otp-confirm', 'disburse', 'inv', () => [200, { response_code: word }]),
    words: { '00': 'accepted', '1001': 'accepted', '1003': 'declined' },
  },
  {
    name: 'otp-confirm message about a code',
    say: async (word) =>
      (await connectorOf('otp-confirm', () => [200, { success: false, message: word }]).confirm?.(
        attemptOf('collect', 'inv:TX1'),
        '1234',
      )) ?? assert.fail(),
    words: {
      'Invalid code': 'wrong_code',
      'Already processed': 'accepted',
      'Insufficient funds': 'declined',
    },
  },
  {
    name: 'checkout-session statuses',
    say: (word) => {
      const [checkout_status, payment_status] = word.split('/')
      return query('checkout-session', 'collect', 'cos-1', () => [
        200,
        { id: 'cos-1', launch_url: 'https://x.y', checkout_status, payment_status, ...money },
      ])
    },
    words: {
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
    name: 'checkout-session payout',
    say: (word) =>
      query('checkout-session', 'disburse', 'pt-1', () => [
        200,
        { id: 'pt-1', status: word, receive_amount: '500', currency: 'XOF' },
      ]),
    words: { processing: 'accepted', succeeded: 'succeeded', failed: 'declined' },
  },
  {
    name: 'checkout-session code of an order',
    say: (word) => submit('checkout-session', 'disburse', null, () => [400, { code: word }]),
    words: {
      'idempotency-mismatch': 'accepted',
      'request-validation-error': 'declined',
      'insufficient-funds': 'declined',
      'recipient-refused': 'declined',
      'checkout-refund-failed': 'declined',
    },
  },
  {
    name: 'top-up status',
    say: (word) =>
      query('top-up', 'top_up', '12', () => [200, { status: word, transaction: topUpState(word) }]),
    words: {
      PROCESSING: 'pending',
      SUCCESSFUL: 'succeeded',
      REFUNDED: 'declined',
      FAILED: 'declined',
    },
  },
  {
    name: 'top-up status of a meter',
    say: (word) =>
      query('top-up', 'pay_bill', '12', () => [200, { transaction: meterPayment(word) }]),
    words: meterWords,
  },
  {
    name: 'top-up status of a meter, found by our id',
    say: (word) =>
      query('top-up', 'pay_bill', null, () => [200, { content: [meterPayment(word)] }]),
    words: meterWords,
  },
  {
    name: 'top-up status of a meter at once',
    say: (word) => submit('top-up', 'pay_bill', null, () => [200, meterPayment(word)]),
    words: meterWords,
  },
  {
    name: 'top-up code of a meter',
    say: (word) => submit('top-up', 'pay_bill', null, () => [400, { errorCode: word }]),
    words: {
      REFERENCE_ID_ALREADY_USED: 'accepted',
      PAYMENT_REFUSED: 'declined',
      SUBSCRIBER_NOT_FOUND: 'declined',
      INVALID_AMOUNT: 'declined',
      INSUFFICIENT_BALANCE: 'declined',
    },
  },
  {
    name: 'top-up code of an order',
    say: (word) => submit('top-up', 'top_up', null, () => [400, { errorCode: word }]),
    words: {
      CUSTOM_IDENTIFIER_ALREADY_USED: 'accepted',
      INVALID_AMOUNT: 'declined',
      INVALID_AMOUNT_FOR_OPERATOR: 'declined',
      INVALID_RECIPIENT_PHONE: 'declined',
      RECIPIENT_REFUSED: 'declined',
      INSUFFICIENT_BALANCE: 'declined',
    },
  },
]

function meaningOf(outcome: Outcome | ConfirmOutcome): string {
  return outcome.kind === 'declined' ? outcome.cause : outcome.kind
}

for (const { name, say, words } of tables)
  describe(name, () => {
    const { '*': otherwise = 'unknown', ...listed } = words
    for (const [word, meaning] of Object.entries(listed))
      it(`${word} → ${meaning}`, async () => {
        assert.equal(meaningOf(await say(word)), meaning)
      })

    it(`anything else → ${otherwise}`, async () => {
      const others = fc
        .oneof(
          fc.string(),
          fc.constantFrom('constructor', '__proto__', 'toString', 'genericError', 'ok', ''),
          fc.constantFrom(...Object.keys(listed)).map((word) => `${word} `),
        )
        .filter(
          (word) => !Object.hasOwn(listed, word) && !Object.hasOwn(listed, word.toLowerCase()),
        )
      await fc.assert(
        fc.asyncProperty(others, async (word) => {
          assert.equal(meaningOf(await say(word)), otherwise)
        }),
      )
    })
  })

test('no word is listed that is not here', () => {
  const listed = Object.entries({
    gsma,
    'request-to-pay': requestToPay,
    'otp-confirm': otpConfirm,
    'checkout-session': checkoutSession,
    'top-up': topUp,
  }).flatMap(([protocol, status]) =>
    Object.values(status).flatMap((words) => Object.keys(words).map((word) => [protocol, word])),
  )
  const missing = listed.filter(
    ([protocol = '', word = '']) =>
      !tables.some(({ name, words }) => name.startsWith(protocol) && Object.hasOwn(words, word)),
  )
  assert.ok(listed.length > 50)
  assert.deepEqual(missing, [])
})

test('two orders of one id are nothing to decide by', async () => {
  const [airtime, meter] = [topUpState('SUCCESSFUL'), meterPayment('SUCCESSFUL')]
  for (const [operation, order] of [
    ['top_up', airtime],
    ['pay_bill', meter],
  ] as const) {
    const ask = (content: object[]) => query('top-up', operation, null, () => [200, { content }])
    assert.equal((await ask([order])).kind, 'succeeded')
    assert.equal((await ask([order, order])).kind, 'unknown')
    assert.equal((await ask([])).kind, 'not_found')
  }
})

describe('recharge codes', () => {
  const [a, b, c] = ['1111-2222-3333-4444-5555', '0000-0000-0000-0000-0001', '9'.repeat(20)]
  const grouped = '9999-9999-9999-9999-9999'
  // what the provider says, what the merchant gets
  const scenarios: [string, unknown, string[] | undefined][] = [
    ['one', a, [a]],
    ['one without groups', c, [grouped]],
    ['three in order', `${b} ${a} ${c}`, [b, a, grouped]],
    ['three in one', `${b}${a}${c}`, [b, a, grouped]],
    ['lines', `${a}\n${b}`, [a, b]],
    ['groups of five', '11112-22233-33444-45555', [a]],
    ['spaces all over', ' 1111 2222 3333 4444 5555 ', [a]],
    ['of another length', '1234-5678', ['1234-5678']],
    ['of letters', 'AB12-CD34 (type #)', ['AB12-CD34 (type #)']],
    ['none', null, undefined],
    ['an empty one', '', undefined],
    ['white space', ' \n', undefined],
    ['a number', 12, undefined],
  ]
  for (const [name, token, codes] of scenarios)
    it(name, async () => {
      const paid = meterPayment('SUCCESSFUL', token)
      const sent = await submit('top-up', 'pay_bill', null, () => [200, paid])
      assert.deepEqual(sent.kind === 'succeeded' ? sent.tokens : undefined, codes)
      // Paid, but not done: asked for again.
      if (codes === undefined) assert.equal(sent.kind, 'unknown')
      for (const digits of [a, b, c].flatMap((one) => [one, one.replaceAll('-', '')]))
        assert.ok(!JSON.stringify(sent.evidence).includes(digits))
    })
})
