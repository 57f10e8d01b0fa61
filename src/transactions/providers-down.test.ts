import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from '../../test/live.ts'
import {
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
} from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { pauseProvider, resumeProvider } from '../providers/pauses.ts'

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

/** Ages open transactions by so many seconds, and makes them due. */
async function age(ids: string[], seconds = 0): Promise<void> {
  await owner`
    update transactions
    set version = version + 1,
      created_at = created_at - ${seconds} * interval '1 second', due_at = now()
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
      for (const { status, text, body } of await caught) {
        assert.equal(status, 201, text)
        assert.equal(body.transaction.Status, 'PENDING')
      }

      await post(`${lab.url}/lab/outage`, { connector, mode, seconds: 0 })
      const isClosed = async () => (await call(gateway, target, free)).status !== 503
      await eventually('the breaker closes', isClosed)
      const rows = await db<{ id: string }>`
        select id from transactions where client_id = ${gateway.clientId}`
      const ids = rows.map((row) => row.id)
      const ends = await Promise.all(ids.map((one) => endOf(gateway, one)))
      assert.deepEqual([...new Set(ends)], ['SUCCESS'])
      assert.ok(ids.length > 25)
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

  /** The final status, without the growing waits between two status queries. */
  async function endOf(gateway: Gateway, id: string): Promise<string> {
    await eventually(`${id} ends`, async () => {
      await gateway.drive(id)
      return isEnd((await stateOf(id))?.status ?? '')
    })
    return (await stateOf(id))?.status ?? ''
  }
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
    assert.equal(currentBalance, 5_000_000 - 5100)
    await eventually('it is tried', async () => Number((await stateOf(id))?.attempts) > 2)
    const { status: now, state } = (await stateOf(id)) ?? {}
    assert.deepEqual([now, state === 'not_sent' || state === 'recorded'], ['PENDING', true])
    await age([id], 40)
    await gateway.drive(id)
    assert.equal((await stateOf(id))?.status, 'PENDING')
    assert.equal(await balance(gateway), 5_000_000 - 5100)
    await age([id], 30)
    assert.equal(await until(gateway, id, isEnd), 'FAILED')
    assert.equal(await balance(gateway), 5_000_000)
    assert.deepEqual(await ordersOf(gateway, id), [])
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
  await pauseProvider(db, clock, order)
  await eventually('the pause is seen', isPaused)
  try {
    await work()
  } finally {
    await resumeProvider(db, clock, order)
    await eventually('its end is seen', () => !isPaused())
  }
}

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
