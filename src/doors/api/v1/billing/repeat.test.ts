import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { pauseProvider, resumeProvider } from '#money/providers/pauses.ts'
import {
  inquire,
  listedBill,
  openBiller,
  paidBill,
  pay,
  payBody,
  topUpBody,
  unpaidOf,
} from '#test/bills.ts'
import {
  balance,
  call,
  collected,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const biller = await openBiller(() => [200, []])
const gateway = await liveGateway({
  pace: 10,
  bind: (one) => (one.provider === 'ELEC' ? { ...one, baseUrl: biller.url } : one),
})
const { db, newMerchant, newSecret, url } = gateway
const french = { 'Accept-Language': 'fr' }
const merchant = async (funds?: number) => ({ url, ...(await newMerchant(funds)) })
const used = 'externalTransactionId already used'

describe('an external id that a bill payment repeats', () => {
  it('is answered with the first payment, also when its bill is paid by now', async () => {
    const caller = await merchant()
    const [bill] = await unpaidOf(caller, '100000002')
    for (const change of [{ reference_client: '100000001' }, { reference_facture: bill }]) {
      const body = payBody({ reference_client: '100000002', ...change })
      const first = await pay(caller, body)
      assert.equal(first.status, 201, first.text)
      const left = await balance(caller)
      const again = await pay(caller, body)
      const { message, success, code, transaction } = again.body
      assert.deepEqual([again.status, message, success], [409, [used], false])
      assert.equal(code, 'DUPLICATE_TRANSACTION')
      assert.deepEqual(transaction, first.body.transaction)
      // Also when the repeated request asks for something else.
      for (const other of [topUpBody(), payBody({ reference_client: '999999999' })]) {
        const { externalTransactionId } = body
        const answer = await pay(caller, { ...other, externalTransactionId })
        assert.deepEqual([answer.status, answer.body.transaction], [409, transaction])
      }
      assert.equal(await balance(caller), left)
    }
  })

  it('is shared with transactions and refunds, in both directions', async () => {
    const caller = await merchant()
    const init = 'POST /api/v1/transaction/init'
    const taken = initBody()
    const { externalTransactionId } = taken
    const first = await call(caller, init, taken)
    const answer = await pay(caller, payBody({ externalTransactionId }))
    assert.deepEqual([answer.status, answer.body.code], [409, 'DUPLICATE_TRANSACTION'])
    assert.equal(
      answer.body.transaction.transactionId,
      first.body.transaction.transactionId,
      answer.text,
    )
    const bill = topUpBody()
    const paid = await pay(caller, bill)
    const again = await call(caller, init, { ...initBody(), ...idOf(bill) })
    assert.equal(again.status, 409)
    assert.deepEqual(again.body.transaction, paid.body.transaction)
    const original = await collected({ ...gateway, ...caller })
    const refund = `POST /api/v1/transaction/refund/${original}`
    assert.equal((await call(caller, refund, idOf(bill))).status, 409)
    assert.equal((await call(caller, refund, { externalTransactionId: 'refund' })).status, 201)
    const late = await pay(caller, payBody({ externalTransactionId: 'refund' }))
    assert.deepEqual([late.status, late.body.transaction.transactionType], [409, 'REFUND'])
  })

  it('is refused without asking the biller, also while the biller is paused', async () => {
    const caller = await merchant()
    const body = payBody({ reference_client: '100000002' })
    const { transaction } = (await pay(caller, body)).body
    // Payments of other tests may still be asked about.
    const inquiries = () => gateway.proxy.requests.filter((one) => /\/WATER\/.*bills$/.test(one))
    const before = inquiries()
    assert.notDeepEqual(before, [])
    assert.equal((await pay(caller, body)).status, 409)
    assert.deepEqual(inquiries(), before)
    const order = { provider: 'WATER', country: 'SN', actor: 'test' }
    await pauseProvider({ db, clock }, { ...order, reason: 'works' })
    try {
      await eventually('the pause', async () => (await pay(caller, payBody())).status === 503)
      const again = await pay(caller, body)
      assert.deepEqual([again.status, again.body.transaction], [409, transaction])
      // A pause stops orders, not inquiries.
      assert.equal((await inquire(caller, 'WATER_SN_BILL', '100000002')).status, 200)
    } finally {
      await resumeProvider({ db, clock }, order)
    }
    await eventually('its end', async () => (await pay(caller, payBody())).status === 201)
  })

  it('is unique in a client, and its record is shown to the key that made it only', async () => {
    const caller = await merchant()
    const secret = await db.transaction((tx) => newSecret(caller.clientId, tx))
    const body = topUpBody()
    const { transactionId } = (await pay(caller, body)).body.transaction
    const sister = await pay({ url, secret }, body)
    assert.equal(sister.status, 409)
    assert.equal('transaction' in sister.body, false)
    for (const id of [transactionId, body.externalTransactionId]) {
      const answer = await call({ url, secret }, `GET /api/v1/transaction/${id}`)
      assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND'])
      const own = await call(caller, `GET /api/v1/transaction/${id}`)
      assert.equal(own.body.transaction.transactionId, transactionId)
    }
    // Another client may use the same external id.
    const stranger = await merchant()
    assert.equal((await pay(stranger, body)).status, 201)
    assert.equal((await call(stranger, `GET /api/v1/transaction/${transactionId}`)).status, 404)
  })

  it('is refused also when the other request pays while this one asks the biller', async () => {
    const caller = await merchant()
    const paid = Promise.withResolvers<[number, object[]]>()
    const answers = [paid.promise, [200, [listedBill()]] as [number, object[]]]
    biller.answer = (request) =>
      request.startsWith('GET') ? (answers.shift() ?? [500, '']) : [201, paidBill()]
    const body = payBody({ serviceCode: 'ELEC_SN_BILL', reference_client: '42' })
    const slow = pay(caller, body)
    await eventually('the biller is asked', () => biller.requests.length > 0)
    const quick = await pay(caller, body)
    assert.equal(quick.status, 201, quick.text)
    paid.resolve([200, [listedBill({ billStatus: 'paid' })]])
    const answer = await slow
    assert.equal(answer.status, 409, answer.text)
    assert.deepEqual(answer.body.transaction, quick.body.transaction)
  })

  it('is accepted from one of 20 concurrent requests, and refused from the others', async () => {
    const caller = await merchant()
    for (const body of [payBody({ reference_client: '100000002' }), topUpBody()]) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => pay(caller, body)))
      const [first, ...others] = answers.filter(({ status }) => status === 201)
      assert.ok(first !== undefined)
      assert.deepEqual(others, [])
      const { transactionId } = first.body.transaction
      for (const answer of answers)
        if (answer.status !== 201) {
          assert.equal(answer.status, 409, answer.text)
          assert.equal(answer.body.transaction.transactionId, transactionId)
        }
    }
  })
})

function idOf({ externalTransactionId }: { externalTransactionId: string }) {
  return { externalTransactionId }
}

describe('a repeated top-up', { concurrency: true }, () => {
  it('is answered with the recharge code, also when that arrived later', async () => {
    const caller = await merchant()
    for (const customer of ['200000001', '200000002', '200000007']) {
      const body = topUpBody({ reference_client: customer })
      const { transaction } = (await pay(caller, body)).body
      await until(caller, transaction.transactionId, isEnd)
      const again = await pay(caller, body)
      assert.equal(again.status, 409)
      assert.match(again.body.transaction.token, /^\d{4}(-\d{4}){4}( [\d-]{24}){0,2}$/)
      if (transaction.token !== null) assert.equal(again.body.transaction.token, transaction.token)
      const { Status, message } = again.body.transaction
      assert.deepEqual([Status, message], ['SUCCESS', undefined])
    }
  })

  it('is answered that it is being processed, also in French', async () => {
    const caller = await merchant()
    const body = topUpBody({ reference_client: '200000002' })
    const first = await pay(caller, body)
    const text = 'The top-up is being processed: the token follows by webhook and lookup'
    assert.deepEqual([first.status, first.body.message], [201, text])
    const { transaction } = first.body
    assert.deepEqual([transaction.Status, transaction.message], ['PROCESSING', text])
    assert.deepEqual([transaction.success, transaction.token], [true, null])
    const again = await pay(caller, body, french)
    assert.equal(again.status, 409)
    assert.match(again.body.transaction.message, /La recharge est en cours/)
    assert.match(again.body.message[0], /déjà utilisé/)
    assert.equal(await until(caller, transaction.transactionId, isEnd), 'SUCCESS')
  })

  it('is answered, after a failure, with the balance that nothing has changed', async () => {
    const caller = await merchant()
    const body = topUpBody({ reference_client: '200000003' })
    const { transactionId } = (await pay(caller, body)).body.transaction
    assert.equal(await until(caller, transactionId, isEnd), 'FAILED')
    const { transaction } = (await pay(caller, body)).body
    const { Status, success, token, previousBalance, currentBalance } = transaction
    assert.deepEqual(
      [Status, success, token, previousBalance, currentBalance],
      ['FAILED', false, null, 5_000_000, 5_000_000],
    )
  })
})

describe('a bill payment under an Idempotency-Key', () => {
  it('is answered again byte for byte, with its recharge code', async () => {
    const caller = await merchant()
    for (const [index, body] of [
      topUpBody({ externalTransactionId: undefined }),
      topUpBody({ externalTransactionId: undefined, reference_client: '200000007' }),
      topUpBody({ reference_client: '200000002' }),
      topUpBody({ reference_client: '200000005' }),
      payBody({ reference_client: '100000002', externalTransactionId: undefined }),
      payBody({ reference_client: '999999999' }),
      topUpBody({ amount: 'much' }),
    ].entries()) {
      const key = { 'Idempotency-Key': `key-${index}` }
      const first = await pay(caller, body, key)
      const left = await balance(caller)
      const again = await pay(caller, body, key)
      assert.deepEqual([again.status, again.text], [first.status, first.text])
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.equal(await balance(caller), left)
      const other = await pay(caller, { ...body, customData: 'more' }, key)
      assert.deepEqual([other.status, other.body.code], [422, 'IDEMPOTENCY_KEY_REUSED'])
    }
  })

  it('is paid once by 20 concurrent requests', async () => {
    const caller = await merchant()
    const body = topUpBody({ externalTransactionId: undefined })
    const key = { 'Idempotency-Key': 'once' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(caller, body, key)))
    const paid = answers.filter(({ status }) => status === 201)
    assert.ok(paid.length > 0)
    assert.equal(new Set(paid.map(({ text }) => text)).size, 1)
    const rest = answers.filter(({ status }) => status !== 201)
    for (const answer of rest) assert.equal(answer.body.code, 'REQUEST_IN_PROGRESS')
    assert.equal(await balance(caller), 5_000_000 - 5100)
  })
})

describe('a bill payment with several faults', () => {
  it('is refused with 401, then 403, then 400, then 409', async () => {
    const caller = await merchant()
    const body = payBody({ reference_client: '100000002' })
    assert.equal((await pay(caller, body)).status, 201)
    const wrong = { ...body, callBackURL: 'x' }
    assert.equal((await pay({ url, secret: 'sk_sandbox_none' }, wrong)).status, 401)
    const order = { scope: 'WATER_SN_BILL', actor: 'test' }
    await startMaintenance({ db, clock }, { ...order, reason: 'works' })
    const statusOf = async (sent: object) => (await pay(caller, sent)).status
    await eventually('the works', async () => (await statusOf(wrong)) === 403)
    assert.equal((await inquire(caller, 'WATER_SN_BILL', '1')).body.code, 'UNDER_MAINTENANCE')
    assert.equal(await statusOf(topUpBody()), 201)
    await endMaintenance({ db, clock }, order)
    await eventually('their end', async () => (await statusOf(wrong)) !== 403)
    assert.equal(await statusOf(wrong), 400)
    assert.equal(await statusOf(body), 409)
  })
})

it('each bill payment here was sent to its biller once', async () => {
  await assertMoney({ db })
  const rows = await db<{ id: string }>`
    select id from transactions where operation = 'BILL' and service_code <> 'ELEC_SN_BILL'`
  for (const { id } of rows) assert.equal((await ordersOf(gateway, id)).length, 1)
})
