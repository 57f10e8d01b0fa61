import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { after } from '#base/kit/clock.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { approved } from '#test/batches.ts'
import { pay, payBody } from '#test/bills.ts'
import { clockFrom } from '#test/clock.ts'
import { newLink } from '#test/links.ts'
import { type Answer, call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { blockNumber, numbersScope, removeLimit, setLimit, unblockNumber } from './change.ts'
import { listLimits } from './list.ts'
import { limitRefusals } from './take.ts'

// The sums of a day begin anew at midnight, which must not come in the middle.
const clock = clockFrom('T12:00Z')
const live = await liveGateway({ pace: 20, clock })
const { db, newMerchant, lab } = live
const processes = [live, await live.newProcess()]
const init = 'POST /api/v1/transaction/init'
const collect = 'WALLETA_SN_CASHOUT'
const payOut = 'WALLETA_SN_CASHIN'

/** Sets a limit as if a minute ago, so that its sums are exact, and waits until it is known. */
async function limit(clientId: number, scope: string, values: object): Promise<void> {
  const now = after(clock.now(), -60_000)
  const order = { clientId, scope, ...values, now, actor: 'test' }
  await db.transaction((tx) => setLimit(tx, order))
  const key = `${clientId} ${scope}`
  await eventually(`${key} is known`, async () => {
    const rules = await Promise.all(processes.map((one) => one.transactions.context.limits.rules()))
    return rules.every(({ daily, attempts }) =>
      scope === numbersScope ? attempts.has(clientId) : daily.has(key),
    )
  })
}

async function block(number: string, country = '', expiresAt: Date | null = null) {
  const order = { number, country, reason: 'fraud', expiresAt, now: clock.now(), actor: 'test' }
  const { phone } = await db.transaction((tx) => blockNumber(tx, order))
  await seen(phone, true)
  return phone
}

async function unblock(number: string): Promise<void> {
  const order = { number, now: clock.now(), actor: 'test' }
  const phone = await db.transaction((tx) => unblockNumber(tx, order))
  await seen(phone, false)
}

function seen(phone: string, isBlocked: boolean): Promise<true> {
  return eventually(`${phone} is ${isBlocked}`, async () => {
    const rules = await Promise.all(processes.map((one) => one.transactions.context.limits.rules()))
    return rules.every(({ blocked }) => blocked.has(phone) === isBlocked)
  })
}

async function used(clientId: number, scope: string): Promise<[count: number, amount: number]> {
  const all = await listLimits(db, clock.now(), clientId)
  const one = all.find((listed) => listed.scope === scope)
  return [one?.usedCount ?? -1, one?.usedAmount ?? -1]
}

/** How many answers there are of each status and code. */
function tally(answers: Answer[]): Record<string, number> {
  const kinds = Map.groupBy(answers, ({ status, body }) =>
    [status, ...(body.code ? [body.code] : [])].join(' '),
  )
  return Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]))
}

const refusedBy = (code: string, { status, body }: Answer) =>
  assert.deepEqual([status, body.code], [400, code], JSON.stringify(body))

describe('the last place of a daily limit', () => {
  const requests = sized(40, 200)
  for (const [serviceCode, values] of [
    [collect, { amountMax: 5000 }],
    [payOut, { countMax: 10 }],
  ] as const)
    test(`goes to one of ${requests} requests to two processes (${serviceCode})`, async () => {
      const merchant = await newMerchant()
      await limit(merchant.clientId, serviceCode, values)
      const answers = await Promise.all(
        Array.from({ length: requests }, (_, index) => {
          const { url } = processes[index % 2] ?? live
          return call({ ...merchant, url }, init, initBody({ serviceCode, amount: 500 }))
        }),
      )
      const refused = requests - 10
      assert.deepEqual(tally(answers), { 201: 10, '400 DAILY_LIMIT_REACHED': refused })
      assert.deepEqual(await used(merchant.clientId, serviceCode), [10, 5000])
    })

  it('is left to a smaller amount, and the sentence names what is left', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    await limit(merchant.clientId, collect, { amountMax: 1000 })
    assert.equal((await call(merchant, init, initBody({ amount: 700 }))).status, 201)
    const tooMuch = initBody({ amount: 301 })
    const refused = await call(merchant, init, tooMuch, { 'Accept-Language': 'fr' })
    refusedBy('DAILY_LIMIT_REACHED', refused)
    const [sentence] = refused.body.message
    assert.match(sentence, /^La limite du jour de WALLETA_SN_CASHOUT est de 1000 FCFA/)
    assert.match(sentence, / : il en reste 300 jusqu'à 00:00 UTC$/)
    // Its id is still free.
    assert.equal((await call(merchant, init, { ...tooMuch, amount: 300 })).status, 201)
    refusedBy('DAILY_LIMIT_REACHED', await call(merchant, init, initBody({ amount: 200 })))
    // A limit that is set below what was used leaves nothing, not less than nothing.
    await limit(merchant.clientId, collect, { amountMax: 500 })
    const lower = await call(merchant, init, initBody({ amount: 200 }))
    assert.match(lower.body.message[0], / 500 FCFA: 0 FCFA are left/)
    const order = { clientId: merchant.clientId, scope: collect, now: clock.now(), actor: 'test' }
    await db.transaction((tx) => removeLimit(tx, order))
    await eventually(
      'the limit is gone',
      async () => (await call(merchant, init, initBody())).status === 201,
    )
  })

  it('counts what was paid on the day before it was set', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    await call(merchant, init, initBody({ amount: 600 }))
    await limit(merchant.clientId, collect, { amountMax: 1000 })
    refusedBy('DAILY_LIMIT_REACHED', await call(merchant, init, initBody({ amount: 500 })))
    assert.equal((await call(merchant, init, initBody({ amount: 400 }))).status, 201)
  })

  it('is not taken by a repeat, nor by a payout without money', async () => {
    const merchant = { ...live, ...(await newMerchant(1000)) }
    await limit(merchant.clientId, payOut, { countMax: 2 })
    const body = initBody({ serviceCode: payOut, amount: 400 })
    const repeats = await Promise.all([1, 2, 3, 4].map(() => call(merchant, init, body)))
    assert.deepEqual(tally(repeats), { 201: 1, '409 DUPLICATE_TRANSACTION': 3 })
    const poor = await call(merchant, init, initBody({ serviceCode: payOut, amount: 900 }))
    refusedBy('INSUFFICIENT_FUNDS', poor)
    assert.deepEqual(await used(merchant.clientId, payOut), [1, 400])
    await call(merchant, init, initBody({ serviceCode: payOut, amount: 300 }))
    assert.equal((await call(merchant, init, body)).status, 409)
  })

  for (const number of ['770000001', '770000002'])
    it(`is free again when a payment ends unpaid (${number})`, async () => {
      const merchant = { ...live, ...(await newMerchant()) }
      await limit(merchant.clientId, collect, { countMax: 1 })
      const { body } = await call(merchant, init, initBody({ number }))
      await until(merchant, body.transaction.transactionId, isEnd)
      assert.deepEqual(await used(merchant.clientId, collect), [0, 0])
      assert.equal((await call(merchant, init, initBody())).status, 201)
    })
})

describe('every way in', () => {
  it('a refund', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    const id = await collected(merchant)
    await limit(merchant.clientId, 'REFUND', { amountMax: 1000 })
    const refund = (amount: number) =>
      call(merchant, `POST /api/v1/transaction/refund/${id}`, { amount })
    assert.equal((await refund(800)).status, 201)
    refusedBy('DAILY_LIMIT_REACHED', await refund(300))
    assert.equal((await refund(200)).status, 201)
    assert.deepEqual(await used(merchant.clientId, 'REFUND'), [2, 1000])
  })

  it('a bill, with the body of a failed bill', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    await limit(merchant.clientId, 'WATER_SN_BILL', { countMax: 1 })
    assert.equal((await pay(merchant, payBody())).status, 201)
    const refused = await pay(merchant, payBody())
    refusedBy('DAILY_LIMIT_REACHED', refused)
    assert.equal(refused.body.transaction.Status, 'FAILED')
    const anonymous = await pay(merchant, payBody({ externalTransactionId: undefined }))
    refusedBy('DAILY_LIMIT_REACHED', anonymous)
    assert.equal((await used(merchant.clientId, 'WATER_SN_BILL'))[0], 1)
  })

  it('airtime', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    const serviceCode = 'OPERATOR1_SN_AIRTIME'
    await limit(merchant.clientId, serviceCode, { amountMax: 500 })
    assert.equal((await call(merchant, init, initBody({ serviceCode, amount: 500 }))).status, 201)
    const again = await call(merchant, init, initBody({ serviceCode, amount: 200 }))
    refusedBy('DAILY_LIMIT_REACHED', again)
  })

  it('a link, whose payer reads why', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    await limit(merchant.clientId, collect, { amountMax: 8000 })
    const { checkout } = live.links
    const order = { serviceCode: collect, phone: '771234567' }
    const [first, second] = [await newLink(merchant), await newLink(merchant)]
    assert.deepEqual(await checkout.pay(first, order), { kind: 'started' })
    const refusal = { kind: 'refused', problems: ['daily_limit_reached'] }
    assert.deepEqual(await checkout.pay(second, order), refusal)
    const form = new URLSearchParams({ ...order, country: 'SN' })
    const page = await fetch(`${live.url}/pay/process/${second}/pay?lang=en`, {
      method: 'POST',
      body: form,
    })
    assert.equal(page.status, 200)
    assert.match(await page.text(), /This shop can take no more this way today/)
    assert.deepEqual(await used(merchant.clientId, collect), [1, 7500])
  })

  it('a batch, which waits for the next day', async () => {
    const { clientId } = await newMerchant()
    await limit(clientId, payOut, { countMax: 1 })
    const lines = ['771234501', '771234502'].map((phone) => `${phone};500;${payOut};A`)
    const id = await approved(live, clientId, lines)
    await eventually('it pauses', async () => (await live.batches.get(id)).state === 'paused')
    const { waiting, reason } = await live.batches.get(id)
    assert.equal(waiting, 1)
    assert.match(reason?.text ?? '', /^The daily limit of/)
    await limit(clientId, payOut, { countMax: 2 })
    await live.batches.resume({ ...id, actor: 'awa' })
    await eventually('it ends', async () => (await live.batches.get(id)).state === 'finished')
    assert.equal((await live.batches.get(id)).paid, 2)
  })
})

describe('tries of one number', () => {
  it('are as many as allowed, at once through two processes too', async () => {
    const merchant = await newMerchant()
    await limit(merchant.clientId, numbersScope, { attemptsMax: 3 })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const { url } = processes[index % 2] ?? live
        return call({ ...merchant, url }, init, initBody({ number: '771110000' }))
      }),
    )
    assert.deepEqual(tally(answers), { 201: 3, '400 TOO_MANY_ATTEMPTS': 9 })
    const refused = answers.find(({ status }) => status === 400)
    assert.equal(refused?.body.param, 'number')
    const others = [
      initBody({ number: '771110001' }),
      // Another country's number of the same digits, and a payout, which prompts nobody.
      initBody({ number: '771110000', serviceCode: 'WALLETA_CI_CASHOUT' }),
      initBody({ number: '771110000', serviceCode: payOut }),
    ]
    for (const body of others)
      assert.equal((await call({ ...live, ...merchant }, init, body)).status, 201)
    // Another client's tries are its own.
    assert.equal((await call(live, init, initBody({ number: '771110000' }))).status, 201)
  })
})

describe('a blocked number', () => {
  // As an operator writes it, its country, as callers send it, their service
  for (const [written, country, number, serviceCode] of [
    ['+221 77 222 00 01', '', '772220001', collect],
    ['77 222 00 02', 'SN', '772220002', payOut],
    ['00225 07 22 20 00 03', '', '722200003', 'WALLETA_CI_CASHOUT'],
    ['+223 72.22.00.04', '', '072220004', 'WALLETA_ML_CASHOUT'],
    ['77-222-00-05', 'SN', '772220005', 'OPERATOR1_SN_AIRTIME'],
    ['SN772220006', '', '772220006', collect],
  ] as const)
    it(`is the same in every form: ${written}`, async () => {
      const merchant = { ...live, ...(await newMerchant()) }
      const body = initBody({ number, serviceCode, amount: 500 })
      assert.equal((await call(merchant, init, body)).status, 201)
      const phone = await block(written, country)
      assert.match(phone, new RegExp(`^[A-Z]{2}${number}$`))
      const other = initBody({ number, serviceCode, amount: 500 })
      refusedBy('NUMBER_BLOCKED', await call(merchant, init, other))
      // A repeat of what was recorded before finds its record.
      assert.equal((await call(merchant, init, body)).status, 409)
      await unblock(phone)
      assert.equal((await call(merchant, init, other)).status, 201)
    })

  it('gets no refund and pays no link, and is free when its time is over', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    const number = '772220010'
    const id = await collected(merchant, { number })
    const link = await newLink(merchant)
    const order = { serviceCode: collect, phone: number }
    const now = clock.now()
    await block(number, 'SN', new Date(now.getTime() + 3_600_000))
    refusedBy('NUMBER_BLOCKED', await call(merchant, `POST /api/v1/transaction/refund/${id}`, {}))
    const refusal = { kind: 'refused', problems: ['number_blocked'] }
    assert.deepEqual(await live.links.checkout.pay(link, order), refusal)
    await db`update blocked_numbers set expires_at = ${now} where phone = ${`SN${number}`}`
    await db`update limit_version set version = version + 1`
    await seen(`SN${number}`, false)
    assert.deepEqual(await live.links.checkout.pay(link, order), { kind: 'started' })
    assert.equal((await call(merchant, `POST /api/v1/transaction/refund/${id}`, {})).status, 201)
  })

  it('is no customer of a biller, who may have the same digits', async () => {
    const merchant = { ...live, ...(await newMerchant()) }
    const { reference_client, ...body } = payBody()
    await block(reference_client, 'SN')
    assert.equal((await pay(merchant, { reference_client, ...body })).status, 201)
  })

  it('needs a readable number, a reason and an end in the future, and is audited', async () => {
    const now = clock.now()
    const order = { number: '12', reason: ' ', expiresAt: now, now, actor: 'test' }
    await assert.rejects(
      db.transaction((tx) => blockNumber(tx, order)),
      /belongs to none of the countries.*needs a reason.*in the future/,
    )
    const last = await readAudit(db, { clientId: null, before: null, limit: 200 })
    const actions = new Set(last.map(({ action }) => action))
    for (const action of ['limit.set', 'limit.remove', 'block.add', 'block.remove'])
      assert.ok(actions.has(action), action)
  })
})

it('counts what it refused', async () => {
  const { values } = await limitRefusals.get()
  const kinds = new Map(values.map(({ labels, value }) => [labels.code, value]))
  for (const kind of ['DAILY_LIMIT_REACHED', 'TOO_MANY_ATTEMPTS', 'NUMBER_BLOCKED'])
    assert.ok((kinds.get(kind) ?? 0) > 0, kind)
})

test('leaves the books in order', async () => {
  await eventually('all is quiet', async () => {
    const open = await db`select 1 from transactions where completed_at is null limit 1`
    return open.length === 0
  })
  await assertMoney({ db, lab })
})
