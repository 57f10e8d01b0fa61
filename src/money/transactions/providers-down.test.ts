import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { pauseProvider, resumeProvider } from '#money/providers/pauses.ts'
import {
  type Answer,
  balance,
  call,
  collected,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  post,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { readParked } from './timeline-store.ts'
import { wakeProvider } from './wake.ts'

const nowhere = 'http://127.0.0.1:9/'
const live = await liveGateway({
  pace: 20,
  // Connections to this port are refused.
  bind: (one) => (/WALLET[CG]/.test(one.provider) ? { ...one, baseUrl: nowhere } : one),
})
const { db, lab, connect, newMerchant } = live
const owner = connect({ asOwner: true })
const healthy = ['WALLETD_SN_CASHIN', 'OPERATOR1_SN_AIRTIME']

type Gateway = typeof live

async function merchant(): Promise<Gateway> {
  return { ...live, ...(await newMerchant()) }
}

function init(gateway: Gateway, change: object): Promise<Answer> {
  return call(gateway, 'POST /api/v1/transaction/init', initBody(change))
}

/** Whether each service is shown as available. */
async function availability(gateway: Gateway): Promise<Record<string, boolean>> {
  const { body } = await call(gateway, 'GET /api/v1/api-services/services')
  const services = body.services as { serviceCode: string; available: boolean }[]
  return Object.fromEntries(services.map((one) => [one.serviceCode, one.available]))
}

async function stateOf(id: string) {
  const [row] = await db<{ status: string; state: string; attempts: number }>`
    select status, attempt_state as state, attempt_number::integer as attempts
    from transactions where id = ${id}`
  return row
}

/** Makes open transactions so many seconds old, and due. */
async function age(ids: string[], seconds = 0): Promise<void> {
  await owner`
    update transactions
    set version = version + 1,
      created_at = now() - ${seconds} * interval '1 second', due_at = now()
    where id = any(${ids}) and completed_at is null`
}

function assertUnavailable({ status, text, headers, body }: Answer, code: string): void {
  assert.equal(status, 503, text)
  assert.equal(headers.get('retry-after'), '1')
  assert.deepEqual([body.success, body.code], [false, 'SERVICE_UNAVAILABLE'])
  assert.deepEqual(body.message, [`The service ${code} is not available right now`])
}

describe('an outage', { concurrency: true }, () => {
  // connector, its service, what its provider does
  for (const [connector, serviceCode, mode] of [
    ['gsma', 'WALLETA_SN_CASHOUT', 'refuse'],
    ['request-to-pay', 'WALLETF_CI_CASHIN', 'error'],
    ['checkout-session', 'WALLETB_SN_CASHIN', 'hang'],
  ] as const)
    it(`of ${connector} (${mode}) affects no other provider, and loses no order`, async () => {
      const gateway = await merchant()
      await post(`${lab.url}/lab/outage`, { connector, mode, seconds: 600 })
      const caught = Promise.all(Array.from({ length: 25 }, () => init(gateway, { serviceCode })))
      await assertUnaffected(gateway)
      const isOpen = async () => (await init(gateway, { serviceCode, amount: 201 })).status === 503
      await eventually('the breaker opens', isOpen)

      const free = initBody({ serviceCode })
      const target = 'POST /api/v1/transaction/init'
      assertUnavailable(await call(gateway, target, free), serviceCode)
      const { externalTransactionId: id } = free
      assert.equal((await call(gateway, `GET /api/v1/transaction/${id}`)).status, 404)
      const french = await call(gateway, target, free, { 'Accept-Language': 'fr' })
      assert.match(french.body.message[0], /n'est pas disponible pour le moment/)
      await assertUnaffected(gateway)
      // On a slow machine the breaker may open before the last of them is recorded.
      const recorded = (await caught).filter(({ status }) => status !== 503)
      assert.ok(recorded.length > 0)
      for (const { status, text, body } of recorded) {
        assert.equal(status, 201, text)
        assert.ok(!isEnd(body.transaction.Status), text)
      }

      // Without a token nothing of these was sent.
      const waiting = connector === 'request-to-pay' ? [] : await letWaitsGrow(gateway)
      await post(`${lab.url}/lab/outage`, { connector, mode, seconds: 0 })
      const isClosed = async () => (await call(gateway, target, free)).status !== 503
      await eventually('the breaker closes', isClosed)
      // By themselves: the next look at them was due long after this test.
      for (const one of waiting) assert.equal(await until(gateway, one, isEnd), 'SUCCESS')
      const rows = await db<{ id: string }>`
        select id from transactions where client_id = ${gateway.clientId}`
      for (const row of rows) await until(gateway, row.id, isEnd)
      assert.ok(rows.length >= recorded.length)
    })

  async function assertUnaffected(gateway: Gateway): Promise<void> {
    const sent = await Promise.all(
      healthy.map((serviceCode) => init(gateway, { serviceCode, amount: 300 })),
    )
    for (const { status, body } of sent) {
      assert.equal(status, 201)
      assert.equal(await until(gateway, body.transaction.transactionId, isEnd), 'SUCCESS')
    }
  }

  /** As after a minute and a half of queries in vain; returns the orders that may have arrived. */
  async function letWaitsGrow({ clientId }: Gateway): Promise<string[]> {
    await eventually('an answer is lost', async () => {
      const lost = await db`
        select from transactions where client_id = ${clientId} and attempt_state = 'unknown'`
      return lost.length > 0
    })
    const rows = await owner<{ id: string }>`
      update transactions
      set version = version + 1, created_at = created_at - interval '90 seconds', polls = 9,
        due_at = now() + interval '350 seconds'
      where client_id = ${clientId} and completed_at is null and attempt_state = 'unknown'
      returning id`
    return rows.map(({ id }) => id)
  }
})

describe('a provider that is back', () => {
  it('has its open orders looked at when its pause has ended', async () => {
    const gateway = await merchant()
    await script(gateway, '778000003', [{ do: 'soon' }, { do: 'succeed' }])
    const { body } = await init(gateway, { serviceCode: 'WALLETE_CI_CASHIN', number: '778000003' })
    const id = String(body.transaction.transactionId)
    await paused('WALLETE', 'CI', async () => {
      await owner`
        update transactions set due_at = now() + interval '350 seconds' where id = ${id}`
    })
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })
})

it('an order that a wrong clock made due in an hour is due within a lease', async () => {
  const gateway = await merchant()
  const { body } = await init(gateway, { number: '770000004' })
  const id = String(body.transaction.transactionId)
  await owner`update transactions set due_at = now() + interval '1 hour' where id = ${id}`
  await eventually('it is made due', async () => {
    const rows = await db`
      select from transactions where id = ${id} and due_at < now() + interval '30 seconds'`
    return rows.length > 0
  })
})

it('what asking has not ended for an hour is listed with the last answer', async () => {
  const gateway = await merchant()
  const { body } = await init(gateway, { number: '770000004' })
  const id = String(body.transaction.transactionId)
  const listed = async () => {
    const rows = await readParked(db, { openSince: new Date(Date.now() - 3_600_000), limit: 1000 })
    return rows.filter((row) => row.id === id).map(({ cause, last }) => [cause, last?.outcome])
  }
  assert.deepEqual(await listed(), [])
  await age([id], 3601)
  assert.deepEqual(await listed(), [['not_ended', 'accepted']])
})

describe('the list of services', { concurrency: true }, () => {
  it('shows the services of a provider that is down as unavailable', async () => {
    const gateway = await merchant()
    const down = { serviceCode: 'WALLETG_CI_CASHOUT' }
    await Promise.all(Array.from({ length: 25 }, () => init(gateway, down)))
    await eventually('it is down', async () => (await init(gateway, down)).status === 503)
    const { WALLETG_CI_CASHOUT, WALLETA_CI_CASHOUT } = await availability(gateway)
    assert.deepEqual([WALLETG_CI_CASHOUT, WALLETA_CI_CASHOUT], [false, true])
  })

  it('shows the services of a provider that is paused as unavailable', async () => {
    assert.equal((await availability(live)).WALLETE_ML_CASHOUT, true)
    await paused('WALLETE', 'ML', async () => {
      const { WALLETE_ML_CASHOUT, WALLETE_CI_CASHOUT } = await availability(live)
      assert.deepEqual([WALLETE_ML_CASHOUT, WALLETE_CI_CASHOUT], [false, true])
    })
    assert.equal((await availability(live)).WALLETE_ML_CASHOUT, true)
  })
})

describe('an order that can never be sent', { concurrency: true }, () => {
  it('fails once its send window is over, not before, and its hold is released', async () => {
    const gateway = await merchant()
    const { status, body } = await init(gateway, { serviceCode: 'WALLETC_SN_CASHIN' })
    assert.equal(status, 201)
    const { transactionId: id, currentBalance } = body.transaction
    // Nobody has to act for a payout.
    assert.equal(body.transaction.nextStep, undefined)
    assert.equal(currentBalance, 5_000_000 - 5100)
    await eventually('it is tried', async () => Number((await stateOf(id))?.attempts) > 2)
    const { status: now, state } = (await stateOf(id)) ?? {}
    assert.deepEqual([now, state === 'not_sent' || state === 'recorded'], ['PENDING', true])
    await age([id], 20)
    await gateway.drive(id)
    assert.equal((await stateOf(id))?.status, 'PENDING')
    assert.equal(await balance(gateway), 5_000_000 - 5100)
    await age([id], 61)
    assert.equal(await until(gateway, id, isEnd), 'FAILED')
    assert.equal(await balance(gateway), 5_000_000)
    assert.deepEqual(await ordersOf(gateway, id), [])
  })

  it('says that it will be sent, and asks nobody to confirm', async () => {
    const gateway = await merchant()
    const french = { 'Accept-Language': 'fr' }
    const { body } = await init(gateway, { serviceCode: 'WALLETC_SN_CASHOUT' })
    const { transactionId: id, nextStep } = body.transaction
    assert.equal(nextStep.type, 'push')
    assert.match(nextStep.instruction, /^The wallet could not be reached yet/)
    const seen = await call(gateway, `GET /api/v1/transaction/${id}`, undefined, french)
    assert.match(seen.body.transaction.nextStep.instruction, /^Le portefeuille est injoignable/)
    await age([id], 61)
    assert.equal(await until(gateway, id, isEnd), 'FAILED')
  })

  it('is sent if its provider is resumed within the send window', async () => {
    const gateway = await merchant()
    const number = '778000001'
    const original = await collected(gateway, { serviceCode: 'WALLETE_ML_CASHOUT', number })
    await paused('WALLETE', 'ML', async () => {
      const refundId = await refund(gateway, original)
      await gateway.drive(refundId)
      assert.deepEqual(await ordersOf(gateway, refundId), [])
      assert.equal((await stateOf(refundId))?.status, 'PENDING')
    })
    const [row] = await db<{ id: string }>`
      select id from transactions where original_id = ${original}`
    assert.equal(await until(gateway, String(row?.id), isEnd), 'SUCCESS')
    assert.equal((await ordersOf(gateway, String(row?.id))).length, 1)
    assert.equal(await balance(gateway), 5_000_000 - 100)
  })

  it('that is a refund makes its amount refundable again', async () => {
    const gateway = await merchant()
    const original = await collected(gateway, { serviceCode: 'WALLETF_CM_CASHOUT' })
    await paused('WALLETF', 'CM', async () => {
      const id = await refund(gateway, original)
      await age([id], 61)
      assert.equal(await until(gateway, id, isEnd), 'FAILED')
      assert.equal(await balance(gateway), 5_000_000 + 4900)
    })
    const again = await refund(gateway, original)
    assert.equal(await until(gateway, again, isEnd), 'SUCCESS')
  })
})

describe('a provider that is paused', () => {
  it('gets no new orders, and its open ones are completed', async () => {
    const gateway = await merchant()
    const code = 'WALLETE_CI_CASHIN'
    await script(gateway, '778000002', [{ do: 'delay', ms: 40_000 }, { do: 'succeed' }])
    const { body } = await init(gateway, { serviceCode: code, number: '778000002' })
    const { transactionId: id } = body.transaction
    await paused('WALLETE', 'CI', async () => {
      for (const serviceCode of [code, 'WALLETE_CI_CASHOUT'])
        assertUnavailable(await init(gateway, { serviceCode }), serviceCode)
      // The same wallet in another country is another provider.
      assert.equal((await init(gateway, { serviceCode: 'WALLETE_ML_CASHOUT' })).status, 201)
      assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
      const [count] = await db<{ count: number }>`
        select count(*) from transactions where client_id = ${gateway.clientId}`
      assert.equal(count?.count, 2)
    })
    assert.equal((await init(gateway, { serviceCode: code })).status, 201)
  })
})

async function refund(gateway: Gateway, id: string): Promise<string> {
  const { status, body } = await call(gateway, `POST /api/v1/transaction/refund/${id}`, {})
  assert.equal(status, 201)
  return body.refund.refundId
}

/** Pauses a provider during `work`; waits until the gateway has seen the pause, and its end. */
async function paused(provider: string, country: string, work: () => Promise<void>): Promise<void> {
  const order = { provider, country, reason: 'test', actor: 'test' }
  const isPaused = () => live.pauses.isPaused(`${provider}_${country}`)
  await pauseProvider({ db, clock }, order)
  await eventually('the pause is seen', isPaused)
  try {
    await work()
  } finally {
    await resumeProvider({ db, clock }, order)
    await eventually('its end is seen', () => !isPaused())
  }
}

it('what a provider that is back has open is looked at, the oldest first', async () => {
  const silent = '770000004'
  const gateway = await merchant()
  const sent = await Promise.all(
    Array.from({ length: 6 }, () =>
      init(gateway, { serviceCode: 'WALLETA_ML_CASHOUT', number: silent }),
    ),
  )
  const other = await init(gateway, { serviceCode: 'WALLETA_SN_CASHOUT', number: silent })
  const all = [...sent, other].map(({ body }) => String(body.transaction.transactionId))
  const [leased = '', ...far] = all
  await live.sweeper.stop()
  await owner`
    update transactions set due_at = now() + interval '1 hour', polls = 9 where id = any(${far})`
  await owner`update transactions set due_at = now() + interval '15 seconds' where id = ${leased}`
  const before = await rowsOf(all)
  const { context } = live.transactions
  await Promise.all(['', '', ''].map(() => wakeProvider(context, 'WALLETA_ML')))
  const rows = await rowsOf(all)
  const changed = rows.filter(({ version }, place) => version !== before[place]?.version)
  assert.deepEqual(changed.map(({ id }) => id).sort(), far.filter((id) => id !== all.at(-1)).sort())
  const byDate = changed.toSorted((one, next) => one.dueAt.getTime() - next.dueAt.getTime())
  assert.deepEqual(byDate, changed)
  assert.ok(
    changed.every(({ dueAt, polls }) => polls === 0 && dueAt.getTime() < Date.now() + 60_000),
  )
  await wakeProvider(context, 'WALLETA_ML')
  assert.deepEqual(await rowsOf(all), rows)
})

/** Rows in the order of their creation. */
function rowsOf(ids: string[]) {
  return db<{ id: string; dueAt: Date; polls: number; version: number }>`
    select id, due_at as "dueAt", polls, version from transactions
    where id = any(${ids}) order by created_at, due_at, id`
}

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
