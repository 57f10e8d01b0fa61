import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after, systemClock } from '#base/kit/clock.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { sandboxBindings } from '#money/providers/bindings.ts'
import { approved } from '#test/batches.ts'
import { pay, payBody } from '#test/bills.ts'
import { call, collected, initBody, isEnd, liveGateway, post, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { setFloat } from './set.ts'
import { stateOf } from './state.ts'
import { type Float, readFloats, readSamples } from './store.ts'

const live = await liveGateway({ pace: 20 })
const { db, lab, proxy } = live
const { floats } = live.transactions.context
const init = 'POST /api/v1/transaction/init'

/** Tells the lab what a provider holds for us; null: enough. */
async function labHolds(provider: string, country: string, balance: number | null): Promise<void> {
  const { connector } =
    sandboxBindings('').find((one) => one.provider === provider && one.country === country) ?? {}
  const body = { connector, provider, country, balance }
  assert.deepEqual(await post(`${lab.url}/lab/float`, body), { ok: true })
}

/** Asks every provider now, whenever it was asked before. */
async function sample(): Promise<void> {
  await db`update floats set asked_at = null`
  await floats.sample(systemClock.now())
}

async function floatOf(provider: string, country: string): Promise<Float> {
  const all = await readFloats(db)
  const float = all.find((one) => one.provider === provider && one.country === country)
  assert.ok(float !== undefined, `${provider} ${country}`)
  return float
}

/** Asks, and waits until the gateway knows the answer. */
async function known(provider: string, country: string): Promise<void> {
  await sample()
  const { balance } = await floatOf(provider, country)
  const service = { provider, country: country as 'SN' }
  await eventually('the answer is known', () => floats.isShort(service, (balance ?? 0) + 1))
}

const payOut = (serviceCode: string, amount: number, more: object = {}) =>
  call(live, init, initBody({ serviceCode, amount, ...more }))
const submitted = () => proxy.requests.filter((one) => one.startsWith('POST ')).length

describe('what providers hold for us', () => {
  it('is asked from those that tell, and read from the ledger for others', async () => {
    await labHolds('WALLETB', 'SN', 70_000)
    await collected(live, { serviceCode: 'WALLETD_SN_CASHOUT', amount: 900 })
    await sample()
    const all = await readFloats(db)
    assert.equal(all.length, sandboxBindings('').length)
    for (const { provider, source, problem } of all)
      assert.deepEqual([source, problem], [provider === 'WALLETD' ? 'ledger' : 'told', null])
    assert.equal((await floatOf('WALLETB', 'SN')).balance, 70_000)
    const history = await readSamples(
      db,
      { provider: 'WALLETB', country: 'SN' },
      { from: after(systemClock.now(), -3_600_000), stepMinutes: 5 },
    )
    assert.deepEqual(
      history.map(({ balance }) => balance),
      [70_000],
    )
  })

  it('is asked by one process only', async () => {
    await db`update floats set asked_at = null`
    proxy.requests.length = 0
    const other = await live.newProcess()
    const now = systemClock.now()
    await Promise.all([floats.sample(now), other.transactions.context.floats.sample(now)])
    const asked = proxy.requests.filter((one) => one === 'GET /gsma/WALLETC/SN/accounts/balance')
    assert.equal(asked.length, 1)
  })

  // Each protocol that tells: a payout above what is left reaches no provider.
  for (const [provider, country, serviceCode] of [
    ['WALLETC', 'SN', 'WALLETC_SN_CASHIN'],
    ['WALLETF', 'CI', 'WALLETF_CI_CASHIN'],
    ['WALLETB', 'CI', 'WALLETB_CI_CASHIN'],
    ['OPERATOR1', 'SN', 'OPERATOR1_SN_AIRTIME'],
  ] as const)
    it(`stops what ${serviceCode} could not pay, before it is sent`, async () => {
      await labHolds(provider, country, 1000)
      await known(provider, country)
      const before = submitted()
      const refused = await payOut(serviceCode, 1001)
      assert.deepEqual([refused.status, refused.body.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.match(refused.body.message[0], /cannot pay this amount right now/)
      assert.equal(submitted(), before)
      // What is sent counts against the value before the provider is asked again.
      const first = await payOut(serviceCode, 700)
      assert.equal(first.status, 201)
      assert.equal((await payOut(serviceCode, 400)).status, 503)
      assert.equal(await until(live, first.body.transaction.transactionId, isEnd), 'SUCCESS')
      await labHolds(provider, country, 50_000)
      await sample()
      await eventually(
        'the new balance is known',
        async () => (await payOut(serviceCode, 400)).status === 201,
      )
      await labHolds(provider, country, null)
    })

  it('pauses a batch, and stops refunds and bills', async () => {
    const id = await collected(live, { serviceCode: 'WALLETA_SN_CASHOUT', amount: 5000 })
    await labHolds('WALLETA', 'SN', 300)
    await labHolds('WATER', 'SN', 100)
    await known('WALLETA', 'SN')
    const { clientId } = live
    const batch = await approved(live, clientId, ['771234561;500;WALLETA_SN_CASHIN;A'])
    await eventually('it pauses', async () => (await live.batches.get(batch)).state === 'paused')
    const refund = await call(live, `POST /api/v1/transaction/refund/${id}`, {})
    assert.equal(refund.status, 503)
    const bill = await pay(live, payBody())
    assert.deepEqual([bill.status, bill.body.code], [503, 'SERVICE_UNAVAILABLE'])
    for (const provider of ['WALLETA', 'WATER']) await labHolds(provider, 'SN', null)
    await sample()
    await eventually(
      'refunds go on',
      async () => (await call(live, `POST /api/v1/transaction/refund/${id}`, {})).status === 201,
    )
  })

  it('stops no refund of what is left of a payment, if it is enough for that', async () => {
    const id = await collected(live, { serviceCode: 'WALLETB_SN_CASHOUT', amount: 5000 })
    const refund = (body: object) => call(live, `POST /api/v1/transaction/refund/${id}`, body)
    assert.equal((await refund({ amount: 3000 })).status, 201)
    await labHolds('WALLETB', 'SN', 2000)
    await known('WALLETB', 'SN')
    assert.equal((await payOut('WALLETB_SN_CASHIN', 2001)).status, 503)
    const rest = await refund({})
    assert.deepEqual([rest.status, rest.body.refund?.amount], [201, 2000], rest.text)
    await labHolds('WALLETB', 'SN', null)
    await sample()
  })

  it('is told to nobody who could not pay or refund that much', async () => {
    const id = await collected(live, { serviceCode: 'WALLETC_SN_CASHOUT', amount: 5000 })
    const refund = (amount: unknown) =>
      call(live, `POST /api/v1/transaction/refund/${id}`, { amount })
    const poor = await live.newMerchant(1000)
    const payOutOf = (amount: number, change: object = {}) => {
      const body = initBody({ serviceCode: 'WALLETC_SN_CASHIN', amount, ...change })
      return call({ ...live, ...poor }, init, body)
    }
    const once = { externalTransactionId: 'paid-before' }
    const paid = await payOutOf(300, once)
    assert.equal(paid.status, 201)
    for (const held of [0, 600, 10_000_000]) {
      await labHolds('WALLETC', 'SN', held)
      await known('WALLETC', 'SN')
      for (const amount of [5001, 1_000_000, Number.MAX_SAFE_INTEGER, 1e26]) {
        const { status, body } = await refund(amount)
        assert.deepEqual(
          [held, amount, status, body.code],
          [held, amount, 400, 'REFUND_NOT_ALLOWED'],
        )
      }
      for (const amount of [1001, 900_000]) {
        const { status, body } = await payOutOf(amount)
        assert.deepEqual(
          [held, amount, status, body.code],
          [held, amount, 400, 'INSUFFICIENT_FUNDS'],
        )
      }
      assert.equal((await payOutOf(300, once)).status, 409)
    }
    await labHolds('WALLETC', 'SN', 600)
    await known('WALLETC', 'SN')
    assert.equal((await refund(601)).status, 503)
    assert.equal((await payOut('WALLETC_SN_CASHIN', 601)).status, 503)
    await labHolds('WALLETC', 'SN', null)
    await sample()
  })

  it('stops nothing when it is old, or unknown', async () => {
    await labHolds('WALLETE', 'CI', 0)
    await known('WALLETE', 'CI')
    assert.equal((await payOut('WALLETE_CI_CASHIN', 500)).status, 503)
    await db`update floats set known_at = known_at - interval '11 minutes'`
    await labHolds('WALLETE', 'CI', null)
    await eventually(
      'it is old',
      async () => (await payOut('WALLETE_CI_CASHIN', 500)).status === 201,
    )
    assert.equal(stateOf(await floatOf('WALLETE', 'CI'), systemClock.now()), 'old')
  })

  it('keeps the last value, and why there is none newer, of a silent provider', async () => {
    await sample()
    const outage = { connector: 'gsma', provider: 'WALLETE', mode: 'error', seconds: 60 }
    const { knownAt } = await floatOf('WALLETE', 'CI')
    await post(`${lab.url}/lab/outage`, outage)
    await sample()
    const silent = await floatOf('WALLETE', 'CI')
    assert.deepEqual([silent.knownAt, silent.problem], [knownAt, 'HTTP 503'])
    await post(`${lab.url}/lab/outage`, { ...outage, seconds: 0 })
  })

  it('is learnt from a payout that was declined for want of it', async () => {
    await labHolds('WALLETA', 'CI', 100_000)
    await sample()
    await labHolds('WALLETA', 'CI', 800)
    const { body } = await payOut('WALLETA_CI_CASHIN', 2000)
    assert.equal(await until(live, body.transaction.transactionId, isEnd), 'FAILED')
    await eventually('it asked', async () => (await floatOf('WALLETA', 'CI')).balance === 800)
    assert.equal((await floatOf('WALLETA', 'CI')).declinedAmount, 2000)
    await eventually(
      'it refuses',
      async () => (await payOut('WALLETA_CI_CASHIN', 900)).status === 503,
    )
    await labHolds('WALLETA', 'CI', null)
  })
})

describe('a provider that tells nothing', () => {
  const id = { provider: 'WALLETD', country: 'SN' }
  const set = (values: object) =>
    db.transaction((tx) =>
      setFloat(tx, { ...id, ...values, now: systemClock.now(), actor: 'test' }),
    )

  it('is counted from what an operator knows, by the ledger', async () => {
    // Without that the ledger alone stops nothing.
    const { status, body } = await payOut('WALLETD_SN_CASHIN', 200)
    assert.equal(status, 201)
    await until(live, body.transaction.transactionId, isEnd)
    await set({ balance: 5000 })
    const at = (await floatOf('WALLETD', 'SN')).knownAt
    await collected(live, { serviceCode: 'WALLETD_SN_CASHOUT', amount: 900 })
    const paid = await payOut('WALLETD_SN_CASHIN', 400)
    assert.equal(await until(live, paid.body.transaction.transactionId, isEnd), 'SUCCESS')
    // As if that had been some minutes ago: the ledger is read up to a minute before now.
    await db`update floats set base_at = ${at}, asked_at = null where provider = 'WALLETD'`
    await floats.sample(after(systemClock.now(), 61_000))
    const float = await floatOf('WALLETD', 'SN')
    assert.deepEqual([float.balance, float.source], [5500, 'counted'])
    await eventually(
      'it refuses',
      async () => (await payOut('WALLETD_SN_CASHIN', 6000)).status === 503,
    )
  })

  it('has thresholds, which are checked and audited', async () => {
    await assert.rejects(set({ warnBelow: 10, alarmBelow: 20 }), /must not be above/)
    await assert.rejects(set({ warnBelow: -1 }), /whole numbers/)
    await assert.rejects(
      db.transaction((tx) =>
        setFloat(tx, {
          provider: 'WALLETA',
          country: 'SN',
          balance: 5,
          now: new Date(),
          actor: 't',
        }),
      ),
      /tells its balance by itself/,
    )
    await set({ warnBelow: 6000, alarmBelow: 1000 })
    const state = async () => stateOf(await floatOf('WALLETD', 'SN'), systemClock.now())
    assert.equal(await state(), 'warning')
    await set({ alarmBelow: 5800 })
    assert.equal(await state(), 'alarm')
    await set({ warnBelow: null, alarmBelow: null })
    assert.equal(await state(), 'fine')
    const [last] = await readAudit(db, { clientId: null, before: null, limit: 1 })
    assert.equal(last?.action, 'float.set')
  })

  it('is lowered by a decline by what is too much, and not by payouts made before', async () => {
    await set({ balance: 1000 })
    const { body } = await payOut('WALLETD_SN_CASHIN', 300)
    assert.equal(await until(live, body.transaction.transactionId, isEnd), 'SUCCESS')
    for (const [declined, left] of [
      [800, 700],
      [500, 499],
    ] as const) {
      await floats.declined({ provider: 'WALLETD', country: 'SN' }, declined)
      await db`update floats set asked_at = null where provider = 'WALLETD'`
      await floats.sample(after(systemClock.now(), 61_000))
      assert.equal((await floatOf('WALLETD', 'SN')).balance, left)
    }
  })
})

it('leaves the books in order', async () => {
  await eventually('all is quiet', async () => {
    const open = await db`select 1 from transactions where completed_at is null limit 1`
    return open.length === 0
  })
  await assertMoney({ db, lab })
})
