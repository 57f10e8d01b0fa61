import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { sentAsNumber } from '#test/json-text.ts'
import {
  type Answer,
  balance,
  call,
  collected,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const live = await liveGateway({ pace: 20 })
const { db, url, clientId, newMerchant, newSecret } = live

type Gateway = typeof live
let numbers = 779_000_000

/** A new merchant, whose balance no other test changes. */
async function merchant(funds?: number): Promise<Gateway> {
  return { ...live, ...(await newMerchant(funds)) }
}

/** A number that no other test uses, so that its scripts affect only this one. */
function newNumber(): string {
  numbers += 1
  return String(numbers)
}

function refund(gateway: Gateway, id: string, body?: unknown): Promise<Answer> {
  return call(gateway, `POST /api/v1/transaction/refund/${encodeURIComponent(id)}`, body)
}

/** Refunds and waits for the end; returns it with the operation and amount of the lab's order. */
async function refunded(gateway: Gateway, id: string, body?: unknown) {
  const { status, text, body: answer } = await refund(gateway, id, body)
  assert.equal(status, 201, text)
  const { refundId } = answer.refund
  const end = await until(gateway, refundId, isEnd)
  const [order] = await ordersOf(gateway, refundId)
  return { refundId, end, operation: order?.operation, amount: order?.amount }
}

async function refundedOf(id: string): Promise<number | undefined> {
  const [row] = await db<{ refunded: number }>`
    select refunded from transactions where id = ${id}`
  return row?.refunded
}

function assertNotAllowed({ status, text, body }: Answer, message: string): void {
  assert.equal(status, 400, text)
  assert.deepEqual([body.code, body.message], ['REFUND_NOT_ALLOWED', [message]])
}

const nothingLeft = 'At most 0 FCFA of it can still be refunded'
const notCollected = 'Only a successful collection can be refunded'

// service, how its provider sends money back
const ways: [string, string][] = [
  ['WALLETA_SN_CASHOUT', 'reverse'],
  ['WALLETA_CM_CASHOUT', 'reverse'],
  ['WALLETB_SN_CASHOUT', 'reverse'],
  ['WALLETD_SN_CASHOUT', 'disburse'],
  ['WALLETF_CI_CASHOUT', 'disburse'],
  ['WALLETF_CM_CASHOUT', 'disburse'],
]

describe('a refund of', { concurrency: true }, () => {
  for (const [serviceCode, operation] of ways)
    it(`${serviceCode} succeeds in part and for the rest, and not for more`, async () => {
      const gateway = await merchant()
      const id = await collected(gateway, { serviceCode, number: newNumber() })
      assert.equal(await balance(gateway), 5_000_000 + 4900)
      const part = await refunded(gateway, id, { amount: 1999 })
      assert.deepEqual({ ...part, refundId: '' }, end('SUCCESS', operation, 1999))
      assert.equal(await balance(gateway), 5_000_000 + 4900 - 1999)
      assertNotAllowed(
        await refund(gateway, id, { amount: 3002 }),
        'At most 3001 FCFA of it can still be refunded',
      )
      const rest = await refunded(gateway, id)
      assert.deepEqual({ ...rest, refundId: '' }, end('SUCCESS', operation, 3001))
      // The fee is kept.
      assert.equal(await balance(gateway), 5_000_000 - 100)
      assertNotAllowed(await refund(gateway, id), nothingLeft)
      assertNotAllowed(await refund(gateway, id, { amount: 1 }), nothingLeft)
    })

  for (const [serviceCode, operation] of ways)
    it(`${serviceCode} can be repeated in full after the provider has declined it`, async () => {
      const gateway = await merchant()
      const number = newNumber()
      const id = await collected(gateway, { serviceCode, number })
      await script(gateway, number, [
        { do: 'decline', reason: 'payee_refused' },
        { do: 'callback' },
      ])
      const declined = await refunded(gateway, id)
      assert.deepEqual({ ...declined, refundId: '' }, end('FAILED', operation, 5000))
      assert.equal(await balance(gateway), 5_000_000 + 4900)
      assert.equal(await refundedOf(id), 0)
      const again = await refunded(gateway, id)
      assert.deepEqual({ ...again, refundId: '' }, end('SUCCESS', operation, 5000))
      assert.equal(await balance(gateway), 5_000_000 - 100)
    })

  for (const [serviceCode, operation] of ways)
    it(`${serviceCode} is executed once although its answer was lost`, async () => {
      const gateway = await merchant()
      const number = newNumber()
      const id = await collected(gateway, { serviceCode, number })
      await script(gateway, number, [{ do: 'lose_answer' }, { do: 'soon' }, { do: 'succeed' }])
      const done = await refunded(gateway, id, { amount: 700 })
      assert.deepEqual({ ...done, refundId: '' }, end('SUCCESS', operation, 700))
      assert.equal(await balance(gateway), 5_000_000 + 4200)
    })
})

function end(status: string, operation: string, amount: number) {
  return { refundId: '', end: status, operation, amount }
}

describe('a refund is refused for', { concurrency: true }, () => {
  // service, number, status
  const table: [string, string, string][] = [
    ['WALLETA_SN_CASHOUT', '770000001', 'FAILED'],
    ['WALLETA_SN_CASHOUT', '770000002', 'CANCELLED'],
    ['WALLETA_SN_CASHOUT', '770000004', 'PENDING'],
    ['WALLETA_SN_CASHOUT', '770000010', 'PROCESSING'],
    ['WALLETA_SN_CASHIN', '771234567', 'SUCCESS'],
    ['WALLETA_SN_CASHIN', '770000004', 'PROCESSING'],
    ['OPERATOR1_SN_AIRTIME', '771234567', 'SUCCESS'],
  ]
  for (const [serviceCode, number, status] of table)
    it(`${serviceCode} that is ${status}`, async () => {
      const sent = initBody({ serviceCode, number })
      const { body } = await call(live, 'POST /api/v1/transaction/init', sent)
      const { transactionId } = body.transaction
      await until(live, transactionId, (now) => now === status)
      assertNotAllowed(await refund(live, transactionId), notCollected)
      assertNotAllowed(await refund(live, sent.externalTransactionId, { amount: 1 }), notCollected)
    })

  it('a refund', async () => {
    const { refundId } = await refunded(live, await collected(live), { amount: 300 })
    assertNotAllowed(await refund(live, refundId), notCollected)
  })

  it('a payment of another key or client, as for an unknown one', async () => {
    const id = await collected(live)
    const secret = await db.transaction((tx) => newSecret(clientId, tx))
    const unknown = await refund(live, randomUUID())
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    for (const stranger of [{ ...live, secret }, await merchant()]) {
      const { status, body } = await refund(stranger, id)
      assert.equal(status, 404)
      assert.deepEqual({ ...body, requestId: '' }, { ...unknown.body, requestId: '' })
    }
    assert.equal(await refundedOf(id), 0)
  })

  it('an amount above the balance of the merchant', async () => {
    const gateway = await merchant(0)
    const id = await collected(gateway)
    const order = { externalTransactionId: 'too-much' }
    const { status, body } = await refund(gateway, id, order)
    assert.deepEqual([status, body.code], [400, 'INSUFFICIENT_FUNDS'])
    assert.deepEqual(body.message, ['Insufficient balance'])
    assert.equal(await refundedOf(id), 0)
    assert.equal(await balance(gateway), 4900)
    const done = await refunded(gateway, id, { ...order, amount: 4900 })
    assert.equal(done.end, 'SUCCESS')
    assert.equal(await balance(gateway), 0)
  })
})

const amountRange = 'amount must be a whole number of at least 1'

describe('the body of a refund', async () => {
  const id = await collected(live)
  // what is wrong, sentence
  const table: [object, string][] = [
    [{ amount: 0 }, amountRange],
    [{ amount: -1 }, amountRange],
    [{ amount: 1.5 }, amountRange],
    [{ amount: 1e26 }, 'At most 5000 FCFA of it can still be refunded'],
    [{ amount: '100.50' }, amountRange],
    [{ amount: '1e2' }, amountRange],
    [{ reason: 'x'.repeat(501) }, 'reason must be a string of 0 to 500 characters'],
    [{ reason: 5 }, sentAsNumber('reason')],
    [
      { externalTransactionId: 'x'.repeat(129) },
      'externalTransactionId must be a string of 1 to 128 characters',
    ],
    [
      { externalTransactionId: 'a\nb' },
      'externalTransactionId must not contain control or broken characters',
    ],
    [{ callBackURL: 'javascript:1' }, 'callBackURL must be a full http or https address'],
    [{ callBackURL: 5 }, sentAsNumber('callBackURL')],
  ]
  for (const [body, sentence] of table)
    it(`${JSON.stringify(body).slice(0, 50)} is refused`, async () => {
      const answer = await refund(live, id, body)
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body.message, [sentence])
    })

  it('is answered with all of its violations at once', async () => {
    const answer = await refund(live, id, Object.assign({}, ...table.map(([wrong]) => wrong)))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'VALIDATION_FAILED')
    assert.equal(answer.body.message.length, 4)
    assert.equal(await refundedOf(id), 0)
  })

  it('is optional: without one, or with an empty one, all is refunded', async () => {
    const target = `${url}/api/v1/transaction/refund/`
    const authorization = { Authorization: `Bearer ${live.secret}` }
    const json = { ...authorization, 'Content-Type': 'application/json' }
    for (const [headers, body] of [
      [authorization, undefined],
      [json, undefined],
      [json, ''],
      [json, 'null'],
      [json, '{}'],
      [json, '{"amount":null,"reason":"","externalTransactionId":"","callBackURL":null}'],
      [json, '{"amount":5000}'],
      [json, '{"amount":"5000.00"}'],
    ] as const) {
      const path = target + (await collected(live))
      const order = { method: 'POST', headers, ...(body === undefined ? {} : { body }) }
      const answer = await fetch(path, order)
      assert.equal(answer.status, 201, `${body}`)
      const { refund: refunding } = (await answer.json()) as Answer['body']
      assert.equal(refunding.amount, 5000)
    }
  })
})

describe('the answer to a refund', { concurrency: true }, () => {
  for (const [serviceCode] of ways)
    it(`of ${serviceCode} has the fields of a transaction and of a refund`, async () => {
      const gateway = await merchant()
      const number = newNumber()
      const original = await collected(gateway, { serviceCode, number })
      const order = { amount: 1200, reason: 'Returned', externalTransactionId: 'r', fee: 1 }
      const { status, body } = await refund(gateway, original, order)
      assert.equal(status, 201)
      const { transactionId, ApiTransactionId, INITIATED_AT, serviceName } = body.transaction
      assert.deepEqual(body, {
        message: 'Refund initiated successfully',
        success: true,
        transaction: {
          transactionId,
          serviceName,
          serviceCode,
          ApiTransactionId,
          transactionType: 'REFUND',
          transactionAmount: 1200,
          transactionFee: 0,
          number,
          Status: 'PENDING',
          INITIATED_AT,
          success: true,
          externalTransactionId: 'r',
          callBackURL: 'http://127.0.0.1:9/hook',
          successUrl: 'http://127.0.0.1:9/ok',
          failureUrl: 'http://127.0.0.1:9/no',
          cancelUrl: 'http://127.0.0.1:9/no',
          status: 'PENDING',
          cashout_url: '',
          deepLink: '',
          webhook: 'http://127.0.0.1:9/hook',
          amount: 1200,
          transactionCommission: 0,
          previousBalance: 5_000_000 + 4900,
          currentBalance: 5_000_000 + 4900 - 1200,
        },
        refund: {
          refundId: transactionId,
          originalTransactionId: original,
          amount: 1200,
          Status: 'PENDING',
        },
      })
      assert.notEqual(transactionId, original)
      assert.ok(ApiTransactionId.length > 8)
      const found = await call(gateway, 'GET /api/v1/transaction/r')
      assert.equal(found.body.transaction.transactionId, transactionId)
    })

  it('has its own reason, and its own callback address or that of the original', async () => {
    const id = await collected(live)
    const callBackURL = 'http://127.0.0.1:9/refunds?a=%20'
    const own = await refund(live, id, { amount: 100, callBackURL, reason: 'Returned' })
    assert.equal(own.body.transaction.callBackURL, callBackURL)
    const stored = await db<{ url: string; reason: string | null }>`
      select callback_url as url, reason from transactions where original_id = ${id}`
    assert.deepEqual(stored, [{ url: callBackURL, reason: 'Returned' }])
    const { body } = await refund(live, id, { amount: 100 })
    assert.equal(body.transaction.callBackURL, 'http://127.0.0.1:9/hook')
    assert.equal(body.transaction.externalTransactionId, '')
  })
})

describe('the external id of a refund', { concurrency: true }, () => {
  const target = 'POST /api/v1/transaction/init'

  // A merchant whose answer was lost sends the same request again.
  for (const [name, order] of [
    ['in part', { amount: 2500, externalTransactionId: 'half' }],
    ['in whole', { externalTransactionId: 'whole' }],
  ] as const)
    it(`makes one refund ${name}, with which a repetition is answered`, async () => {
      const id = await collected(live)
      const first = await refund(live, id, order)
      assert.equal(first.status, 201)
      const again = await refund(live, id, order)
      assert.equal(again.status, 409, again.text)
      assert.equal(again.body.code, 'DUPLICATE_TRANSACTION')
      assert.equal(again.body.transaction.transactionId, first.body.refund.refundId)
      assert.equal(again.body.transaction.transactionType, 'REFUND')
      assert.equal(await refundedOf(id), first.body.refund.amount)
    })

  it('cannot be that of a payment, nor the other way round', async () => {
    const payment = initBody()
    const { body } = await call(live, target, payment)
    const { externalTransactionId } = payment
    const id = await collected(live)
    const used = await refund(live, id, { externalTransactionId })
    assert.equal(used.status, 409)
    assert.equal(used.body.transaction.transactionId, body.transaction.transactionId)
    const done = await refund(live, id, { externalTransactionId: 'of-a-refund', amount: 200 })
    const late = await call(live, target, initBody({ externalTransactionId: 'of-a-refund' }))
    assert.equal(late.status, 409)
    assert.equal(late.body.transaction.transactionId, done.body.refund.refundId)
    assert.equal(await refundedOf(id), 200)
  })

  it('is not used up by a refund that was refused', async () => {
    const id = await collected(live)
    const externalTransactionId = 'refused-before'
    const refused = await refund(live, id, { externalTransactionId, amount: 5001 })
    assertNotAllowed(refused, 'At most 5000 FCFA of it can still be refunded')
    assert.equal((await refund(live, id, { externalTransactionId })).status, 201)
  })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
