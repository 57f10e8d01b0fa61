import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, describe, test } from 'node:test'
import { sentAsNumber } from '#test/json-text.ts'
import {
  type Answer,
  call,
  collected,
  contentsOf,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, sized } from '#test/size.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, proxy, clientId, connect, newMerchant, newSecret } = gateway
const owner = connect({ asOwner: true })
const serviceCode = 'WALLETD_SN_CASHOUT'
const right = '123456'
let numbers = 779_000_000

type Caller = { url: string; secret: string }

/** A transaction that waits for its code, of a number that no other test uses. */
async function awaitingCode(change: object = {}): Promise<{ id: string; sent: Answer['body'] }> {
  numbers += 1
  const body = initBody({ serviceCode, number: String(numbers), ...change })
  const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
  assert.equal(answer.status, 201, answer.text)
  return { id: answer.body.transaction.transactionId, sent: body }
}

function confirm(id: unknown, otp: unknown, caller: Caller = gateway): Promise<Answer> {
  const body = { transactionId: id, otp }
  return call(caller, 'POST /api/v1/transaction/confirm/walletd', body)
}

/** How many codes the lab has received since the last call. */
function countCodesSent(): number {
  const count = proxy.requests.filter((request) => request.endsWith('/softpay/confirm')).length
  proxy.requests.length = 0
  return count
}

async function tries(id: string): Promise<number | undefined> {
  const [row] = await db<{ tries: number }>`
    select otp_tries as tries from transactions where id = ${id}`
  return row?.tries
}

async function age(id: string, seconds: number): Promise<void> {
  await owner`
    update transactions set version = version + 1,
      created_at = created_at - ${seconds} * interval '1 second'
    where id = ${id}`
}

function assertRefused({ status, text, body }: Answer, code: string, message: string): void {
  assert.equal(status, 400, text)
  assert.deepEqual([body.code, body.message], [code, [message]])
}

const wrong = ['OTP_INVALID', 'The one-time code is wrong'] as const
const notWaiting = ['OTP_INVALID', 'This transaction does not wait for a one-time code'] as const
const noneLeft = ['OTP_INVALID', 'No attempts are left for this one-time code'] as const
const tooLate = ['OTP_EXPIRED', 'The one-time code has expired'] as const

describe('a one-time code', () => {
  it('that is right makes the transaction PROCESSING until the provider settles', async () => {
    const { id, sent } = await awaitingCode()
    const { status, body } = await confirm(id, right)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      message: 'Transaction confirmed successfully',
      transaction: {
        success: true,
        amount: 5000,
        fee: 100,
        transactionId: id,
        externalTransactionId: sent.externalTransactionId,
        Status: 'PROCESSING',
      },
    })
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    assertRefused(await confirm(id, right), ...notWaiting)
  })

  it('can be sent with the external id of its transaction', async () => {
    const { sent } = await awaitingCode()
    assert.equal((await confirm(sent.externalTransactionId, right)).status, 200)
  })

  it('that is right is accepted after four wrong ones', async () => {
    const { id } = await awaitingCode()
    for (const otp of ['0000', '12345', '1234567', '12345678'])
      assertRefused(await confirm(id, otp), ...wrong)
    assert.equal((await confirm(id, right)).status, 200)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })

  it('is not sent to the provider after five wrong ones', async () => {
    const { id } = await awaitingCode()
    countCodesSent()
    for (let times = 0; times < 5; times += 1) assertRefused(await confirm(id, '654321'), ...wrong)
    for (const otp of [right, '654321', right]) assertRefused(await confirm(id, otp), ...noneLeft)
    assert.equal(countCodesSent(), 5)
    const { body } = await call(gateway, `GET /api/v1/transaction/${id}`)
    assert.equal(body.transaction.Status, 'FAILED')
  })

  it('expires after ten minutes', async () => {
    const [late, early] = await Promise.all([awaitingCode(), awaitingCode()])
    countCodesSent()
    await Promise.all([age(late.id, 601), age(early.id, 580)])
    assertRefused(await confirm(late.id, right), ...tooLate)
    assert.equal(countCodesSent(), 0)
    assert.equal((await confirm(early.id, right)).status, 200)
  })

  it('is accepted once', async () => {
    const { id } = await awaitingCode()
    await script(gateway, String(numbers), [])
    const silent = await awaitingCode({ number: String(numbers) })
    for (const one of [id, silent.id]) {
      assert.equal((await confirm(one, right)).status, 200)
      assertRefused(await confirm(one, right), ...notWaiting)
      assertRefused(await confirm(one, '0000'), ...notWaiting)
    }
  })

  it('is answered with FAILED when the wallet has too little money', async () => {
    const { id } = await awaitingCode({ number: '770000001' })
    const { status, body } = await confirm(id, right)
    assert.equal(status, 200)
    assert.deepEqual([body.transaction.success, body.transaction.Status], [false, 'FAILED'])
    assert.equal(body.message, 'Transaction declined')
    assertRefused(await confirm(id, right), ...notWaiting)
  })

  it('is stored nowhere', async () => {
    const { id } = await awaitingCode()
    await confirm(id, '74185296')
    assert.ok(!JSON.stringify(await contentsOf(db)).includes('74185296'))
  })
})

describe('a collection whose code is no longer accepted', () => {
  afterEach(() => {
    proxy.answerInstead = () => undefined
  })
  const isAsked = (request: string) => request.includes('/checkout-invoice/confirm/')
  const detailOf = async (id: string) =>
    (await call(gateway, `GET /api/v1/transaction/${id}`)).body.transaction
  const eventsOf = async (id: string) => {
    const rows = await db<{ what: string }>`
      select concat_ws(' ', body::json ->> 'STATUS', body::json ->> 'FAILURE_CODE') as what
      from events where body::json ->> 'id' = ${id}`
    return rows.map(({ what }) => what)
  }
  const send = async (id: string, codes: number) => {
    for (let times = 0; times < codes; times += 1) await confirm(id, '654321')
  }

  // code of the failure, seconds, wrong codes
  for (const [code, seconds, codes] of [
    ['WRONG_CODE', 0, 5],
    ['WRONG_CODE', 601, 1],
    ['CODE_EXPIRED', 601, 0],
  ] as const)
    it(`fails by what its provider says: ${code}, ${codes} wrong, ${seconds} s`, async () => {
      const { id } = await awaitingCode()
      proxy.answerInstead = (request) => (isAsked(request) ? [503, '{}'] : undefined)
      await send(id, codes)
      await age(id, seconds)
      await gateway.drive(id)
      assert.deepEqual([isEnd((await detailOf(id)).Status), await eventsOf(id)], [false, []])
      proxy.answerInstead = () => undefined
      await gateway.drive(id)
      const { Status, failure, Fee, nextStep } = await detailOf(id)
      assert.deepEqual([Status, failure.code, Fee, nextStep], ['FAILED', code, 0, undefined])
      assert.deepEqual(await eventsOf(id), [`FAILED ${code}`])
      const [refused, why] = seconds > 0 ? tooLate : noneLeft
      assertRefused(await confirm(id, right), refused, why)
    })

  it('is paid where its provider says so', async () => {
    await script(gateway, '779990002', [{ do: 'soon' }, { do: 'succeed' }])
    const { id } = await awaitingCode({ number: '779990002' })
    assert.equal((await confirm(id, right)).status, 200)
    await age(id, 601)
    await gateway.drive(id)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })

  it('stays open where a code may have been the right one, and says what is so', async () => {
    const { id } = await awaitingCode()
    const instruction = async (language: string) => {
      const headers = { 'Accept-Language': language }
      const { body } = await call(gateway, `GET /api/v1/transaction/${id}`, undefined, headers)
      return body.transaction.nextStep.instruction as string
    }
    assert.match(await instruction('en'), /^Ask the customer for the one-time code/)
    await age(id, 601)
    // A process died after it had counted a try.
    await owner`update transactions set otp_tries = 1 where id = ${id}`
    await gateway.drive(id)
    assert.equal((await detailOf(id)).Status, 'PENDING')
    assert.match(await instruction('en'), /^No one-time code is accepted any more/)
    assert.match(await instruction('fr'), /^Plus aucun code n'est accepté/)
  })

  it('is looked at when its code has expired, however seldom it was asked about', async () => {
    const { id } = await awaitingCode()
    await age(id, 590)
    await owner`update transactions set polls = 20 where id = ${id}`
    await gateway.drive(id)
    const [row] = await db<{ seconds: number }>`
      select extract(epoch from due_at - created_at)::integer as seconds
      from transactions where id = ${id}`
    assert.equal(row?.seconds, 600)
  })

  it('is not declined by a second code while the first may have been right', async () => {
    const { id } = await awaitingCode({ number: '770000001' })
    await owner`update transactions set otp_tries = 1 where id = ${id}`
    const { status, body } = await confirm(id, right)
    // The sweeper may have asked the provider meanwhile.
    assert.equal(status, 200)
    assert.match(body.transaction.Status, /^(PROCESSING|FAILED)$/)
    await gateway.drive(id)
    assert.equal(await until(gateway, id, isEnd), 'FAILED')
    const declines = await db<{ source: string }>`
      select source from evidence where transaction_id = ${id} and outcome = 'declined'`
    assert.ok(declines.length > 0 && declines.every(({ source }) => source !== 'answer'))
  })
})

describe('concurrent one-time codes', () => {
  const guessCount = sized(200, 1000)
  test(`reach the provider five times, of ${guessCount}`, async () => {
    const { id } = await awaitingCode()
    const callers = [gateway, await gateway.newProcess()].map(({ url: at }) => ({
      url: at,
      secret: gateway.secret,
    }))
    countCodesSent()
    const answers = await Promise.all(
      Array.from({ length: guessCount }, (_, guess) =>
        confirm(id, String(200_000 + guess), callers[guess % 2]),
      ),
    )
    assert.equal(countCodesSent(), 5)
    const byAnswer = Map.groupBy(answers, ({ status, body }) => `${status} ${body.code}`)
    const counts = [...byAnswer].map(([what, { length }]) => [what, length])
    assert.deepEqual(Object.fromEntries(counts), {
      '400 OTP_INVALID': guessCount,
    })
    assert.equal(await tries(id), 5)
  })

  test('pay once when all of them are right', async () => {
    const { id } = await awaitingCode()
    countCodesSent()
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(id, right)))
    assert.ok(countCodesSent() <= 5)
    const taken = answers.filter(({ status }) => status === 200)
    assert.ok(taken.length >= 1 && taken.length <= 5, `${taken.length}`)
    for (const { status } of answers) assert.ok(status === 200 || status === 400)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    const orders = await ordersOf(gateway, id)
    assert.deepEqual(
      orders.map(({ executed }) => executed),
      [1],
    )
  })
})

describe('a one-time code is refused for', { concurrency: true }, () => {
  // service, number, status to wait for
  for (const [code, number, status] of [
    ['WALLETA_SN_CASHOUT', '770000004', 'PENDING'],
    ['WALLETB_SN_CASHOUT', '770000004', 'PENDING'],
    ['WALLETD_SN_CASHIN', '770000004', 'PROCESSING'],
    ['WALLETD_SN_CASHOUT', '770000002', 'CANCELLED'],
    ['WALLETD_SN_CASHOUT', '770000003', 'CANCELLED'],
  ] as const)
    it(`${code} ${number}, which is ${status}`, async () => {
      const { id } = await awaitingCode({ serviceCode: code, number })
      await until(gateway, id, (now) => now === status)
      assertRefused(await confirm(id, right), ...notWaiting)
      assert.equal(await tries(id), 0)
    })

  it('a refund', async () => {
    const original = await collected(gateway, { serviceCode })
    const { body } = await call(gateway, `POST /api/v1/transaction/refund/${original}`, {})
    assertRefused(await confirm(body.refund.refundId, right), ...notWaiting)
  })

  it('a transaction of another key or client, as for an unknown one', async () => {
    const { id, sent } = await awaitingCode()
    const secret = await db.transaction((tx) => newSecret(clientId, tx))
    const unknown = await confirm(randomUUID(), right)
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    for (const caller of [
      { url, secret },
      { url, ...(await newMerchant()) },
    ])
      for (const name of [id, sent.externalTransactionId]) {
        const { status, body } = await confirm(name, right, caller)
        assert.equal(status, 404)
        assert.deepEqual({ ...body, requestId: '' }, { ...unknown.body, requestId: '' })
      }
    assert.equal(await tries(id), 0)
  })
})

describe('a confirmation with an invalid body', async () => {
  const { id } = await awaitingCode()
  const digits = 'otp must be 4 to 8 digits'
  const identifier = 'transactionId must be a string of 1 to 128 characters'
  // transactionId, code, messages
  const table: [unknown, unknown, string[]][] = [
    [id, '123', [digits]],
    [id, '123456789', [digits]],
    [id, '12a456', [digits]],
    [id, ' 123456', [digits]],
    [id, '123456\n', [digits]],
    [id, '-12345', [digits]],
    [id, '١٢٣٤٥٦', [digits]],
    [id, '', [digits]],
    [id, 123_456, [sentAsNumber('otp')]],
    [id, null, [digits]],
    [id, ['123456'], [digits]],
    [id, '12345\0', ['otp must not contain control or broken characters']],
    [id, undefined, ['otp is required']],
    [undefined, right, ['transactionId is required']],
    ['', right, [identifier]],
    ['x'.repeat(129), right, [identifier]],
    [5, right, [sentAsNumber('transactionId')]],
    [5, 5, [sentAsNumber('transactionId'), sentAsNumber('otp')]],
    [undefined, undefined, ['transactionId is required', 'otp is required']],
  ]
  for (const [name, otp, message] of table)
    it(`of ${JSON.stringify([name, otp]).slice(0, 60)} is refused`, async () => {
      const { status, body } = await confirm(name, otp)
      assert.equal(status, 400)
      assert.deepEqual([body.code, body.message], ['VALIDATION_FAILED', message])
    })

  it('does not count as a try', async () => assert.equal(await tries(id), 0))
})

describe('a code whose answer or request is lost', () => {
  it('is settled by a status query when the answer was lost', async () => {
    // This script sends no callback.
    await script(gateway, '779990001', [{ do: 'soon' }, { do: 'succeed' }])
    const { id } = await awaitingCode({ number: '779990001' })
    const other = await awaitingCode()
    proxy.losesAnswerTo = (request) => request.endsWith('/softpay/confirm')
    const answers = await Promise.all([confirm(id, right), confirm(other.id, '0000')])
    proxy.losesAnswerTo = () => false
    for (const { status, body } of answers)
      assert.deepEqual([status, body.transaction.Status], [200, 'PROCESSING'])
    assertRefused(await confirm(id, right), ...notWaiting)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    const [last] = await db<{ evidence: string }>`
      select concat_ws(' ', source, outcome) as evidence from evidence
      where transaction_id = ${id} order by id desc limit 1`
    assert.equal(last?.evidence, 'query succeeded')
  })

  it('does not count as a try when the request was never sent', async () => {
    const { id } = await awaitingCode()
    await proxy.refuseConnections()
    const { status, headers, body } = await confirm(id, right)
    await proxy.acceptConnections()
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.equal(headers.get('retry-after'), '1')
    assert.equal(await tries(id), 0)
    assert.equal((await confirm(id, right)).status, 200)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })
})

test('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
