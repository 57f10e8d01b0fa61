import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { pauseProvider, resumeProvider } from '#money/providers/pauses.ts'
import {
  type Answer,
  call,
  collected,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { type Claim, forgetOldKeys, setClaimEnds } from './store.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, clientId, connect, newMerchant, newSecret } = gateway
const owner = connect({ asOwner: true })
const target = 'POST /api/v1/transaction/init'

type Caller = { url: string; secret: string }
let keys = 0

function newKey(): string {
  keys += 1
  return `key-${keys}`
}

function send(
  key: string,
  body?: object,
  path = target,
  caller: Caller = gateway,
): Promise<Answer & { isReplay: boolean }> {
  return call(caller, path, body, { 'Idempotency-Key': key }).then((answer) => ({
    ...answer,
    isReplay: answer.headers.get('idempotent-replayed') === 'true',
  }))
}

async function countOf(externalId: string): Promise<number> {
  const rows = await db`select id from transactions where external_id = ${externalId}`
  return rows.length
}

/** Makes a key older, and the end of its record. */
async function age(key: string, seconds: number): Promise<void> {
  await owner`
    update transactions t set completed_at = completed_at - ${seconds} * interval '1 second'
    from idempotency_keys k
    where k.key = ${key} and (t.client_id, t.id) = (k.client_id, k.record_id)`
  await owner`
    update idempotency_keys
    set created_at = created_at - ${seconds} * interval '1 second',
      claimed_until = claimed_until - ${seconds} * interval '1 second'
    where key = ${key}`
}

/** As if its process had died before it stored an answer, so many seconds ago. */
async function die(key: string, seconds: number): Promise<void> {
  await owner`
    update idempotency_keys
    set http_status = null, body = null,
      claimed_until = now() + (5 - ${seconds}) * interval '1 second'
    where key = ${key}`
}

function assertReused({ status, body }: Answer): void {
  assert.equal(status, 422)
  assert.equal(body.code, 'IDEMPOTENCY_KEY_REUSED')
  assert.deepEqual(body.message, ['This Idempotency-Key was used with another request'])
}

function assertRunning({ status, body }: Answer): void {
  assert.equal(status, 409)
  assert.equal(body.code, 'REQUEST_IN_PROGRESS')
}

function assertReplays(answer: Answer & { isReplay: boolean }, first: Answer): void {
  assert.equal(answer.isReplay, true, answer.text)
  assert.deepEqual([answer.status, answer.text], [first.status, first.text])
  assert.equal(answer.headers.get('content-type'), first.headers.get('content-type'))
}

describe('the same request with the same key', () => {
  it('gets the stored first answer, byte for byte', async () => {
    const key = newKey()
    const body = initBody()
    const first = await send(key, body)
    assert.deepEqual([first.status, first.isReplay], [201, false])
    assertReplays(await send(key, body), first)
    for (const path of [target, 'POST /v1/transaction/init', 'POST /transaction/init'])
      assertReplays(await send(key, body, path), first)
    const french = { 'Idempotency-Key': key, 'Accept-Language': 'fr' }
    assert.equal((await call(gateway, target, body, french)).text, first.text)
    assert.equal(await countOf(body.externalTransactionId), 1)
  })

  it('makes one refund', async () => {
    const path = `POST /api/v1/transaction/refund/${await collected(gateway)}`
    const key = newKey()
    const first = await send(key, { amount: 1000 }, path)
    assert.equal(first.status, 201)
    assertReplays(await send(key, { amount: 1000 }, path), first)
    assertReused(await send(key, { amount: 1001 }, path))
    const whole = newKey()
    const rest = await send(whole, undefined, path)
    assert.deepEqual([rest.status, rest.body.refund.amount], [201, 4000])
    assertReplays(await send(whole, {}, path), rest)
  })

  it('sends a one-time code to the provider once', async () => {
    const start = await call(gateway, target, initBody({ serviceCode: 'WALLETD_SN_CASHOUT' }))
    const { transactionId } = start.body.transaction
    const path = 'POST /api/v1/transaction/confirm/walletd'
    const [wrong, right] = [newKey(), newKey()]
    const first = await send(wrong, { transactionId, otp: '0000' }, path)
    assert.equal(first.status, 400)
    for (let times = 0; times < 9; times += 1)
      assertReplays(await send(wrong, { transactionId, otp: '0000' }, path), first)
    const confirmed = await send(right, { transactionId, otp: '123456' }, path)
    assert.equal(confirmed.status, 200)
    assertReplays(await send(right, { transactionId, otp: '123456' }, path), confirmed)
  })

  it('gets the stored first answer also when that was a refusal', async () => {
    const merchantWithoutMoney = { url, ...(await newMerchant(100)) }
    const used = initBody()
    await call(gateway, target, used)
    // body, status, path, caller
    for (const [body, status, path, caller] of [
      [initBody({ amount: 1 }), 400, target, gateway],
      [initBody({ serviceCode: 'WALLETA_SN_CASHIN' }), 400, target, merchantWithoutMoney],
      [used, 409, target, gateway],
      [{}, 404, 'POST /api/v1/transaction/refund/nothing', gateway],
    ] as const) {
      const key = newKey()
      const first = await send(key, body, path, caller)
      assert.equal(first.status, status)
      assertReplays(await send(key, body, path, caller), first)
    }
  })

  it('is refused while the first one is in progress', async () => {
    await script(gateway, '779000001', [{ do: 'delay', ms: 60_000 }, { do: 'answer' }])
    const key = newKey()
    const body = initBody({ number: '779000001' })
    const running = send(key, body)
    await eventually('it is in progress', async () => {
      const rows = await db`select from idempotency_keys where key = ${key}`
      return rows.length > 0
    })
    assertRunning(await send(key, body))
    assertReused(await send(key, { ...body, amount: 6000 }))
    const first = await running
    assert.deepEqual([first.status, first.isReplay], [201, false])
    assertReplays(await send(key, body), first)
  })

  it('creates one transaction when 60 arrive at once at three processes', async () => {
    const callers = [gateway, await gateway.newProcess(), await gateway.newProcess()]
    const key = newKey()
    const body = initBody()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const { url: at } = callers[index % callers.length] ?? gateway
        return send(key, body, target, { url: at, secret: gateway.secret })
      }),
    )
    const [first, ...others] = answers.filter(({ status, isReplay }) => status === 201 && !isReplay)
    assert.ok(first !== undefined)
    assert.deepEqual(others, [])
    for (const answer of answers)
      if (answer.isReplay) assertReplays(answer, first)
      else if (answer !== first) assertRunning(answer)
    assert.equal(await countOf(body.externalTransactionId), 1)
  })
})

describe('another request with the same key', () => {
  it('is refused, and changes nothing', async () => {
    const key = newKey()
    const body = initBody()
    const first = await send(key, body)
    const other = initBody()
    assertReused(await send(key, other))
    assertReused(await send(key, { ...body, amount: 5001 }))
    assertReused(await send(key, { ...body, unknown: 1 }))
    assertReused(await send(key, body, `${target}?a=1`))
    assertReused(await send(key, {}, `POST /api/v1/transaction/refund/nothing`))
    assertReplays(await send(key, body), first)
    assert.equal(await countOf(other.externalTransactionId), 0)
  })

  it('is accepted under another API key', async () => {
    const key = newKey()
    const sibling = { url, secret: await db.transaction((tx) => newSecret(clientId, tx)) }
    const stranger = { url, ...(await newMerchant()) }
    const answers = await Promise.all(
      [gateway, sibling, stranger].map((caller) => send(key, initBody(), target, caller)),
    )
    assert.deepEqual(
      answers.map(({ status, isReplay }) => [status, isReplay]),
      [
        [201, false],
        [201, false],
        [201, false],
      ],
    )
  })
})

describe('the Idempotency-Key header', () => {
  for (const key of ['', 'x'.repeat(256), 'a b', 'caf\u00e9', 'a\tb'])
    it(`${JSON.stringify(key).slice(0, 20)} (${key.length} characters) is refused`, async () => {
      const body = initBody()
      const { status, body: answer } = await send(key, body)
      assert.deepEqual([status, answer.code], [400, 'VALIDATION_FAILED'])
      assert.deepEqual(answer.message, ['Idempotency-Key must be 1 to 255 visible characters'])
      assert.equal(await countOf(body.externalTransactionId), 0)
    })

  it('is refused when it is sent twice', async () => {
    const body = JSON.stringify(initBody())
    const status = await new Promise((done, fail) => {
      const headers = [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${gateway.secret}`],
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length)],
        ['Idempotency-Key', newKey()],
        ['Idempotency-Key', newKey()],
      ].flat()
      const sending = request(`${url}/api/v1/transaction/init`, { method: 'POST', headers })
      sending.on('error', fail).on('response', (answer) => done(answer.statusCode))
      sending.end(body)
    })
    assert.equal(status, 400)
  })

  it('may have 255 characters, all of visible ASCII', async () => {
    const visible = Array.from({ length: 94 }, (_, code) => String.fromCharCode(33 + code)).join('')
    for (const key of [visible, 'x'.repeat(255)]) {
      const body = initBody()
      const first = await send(key, body)
      assert.equal(first.status, 201)
      assertReplays(await send(key, body), first)
    }
  })

  it('is ignored on GET and on requests without a valid API key', async () => {
    const key = newKey()
    const headers = { 'Idempotency-Key': key }
    const path = '/api/v1/api-services/balance'
    assert.equal((await call(gateway, `GET ${path}`, undefined, headers)).status, 200)
    const unknownCaller = { url, secret: 'sk_sandbox_nobody' }
    assert.equal((await call(unknownCaller, target, initBody(), headers)).status, 401)
    assert.equal((await send(key, initBody())).status, 201)
  })
})

describe('an old key', () => {
  it('can be used for another request after 72 hours, not before', async () => {
    const key = newKey()
    const body = initBody()
    const first = await send(key, body)
    await until(gateway, first.body.transaction.transactionId, isEnd)
    await age(key, 72 * 3600 - 60)
    assertReplays(await send(key, body), first)
    await age(key, 120)
    const fresh = initBody()
    const second = await send(key, fresh)
    assert.deepEqual([second.status, second.isReplay], [201, false])
    assertReplays(await send(key, fresh), second)
    // The transaction remains.
    assert.equal((await send(newKey(), body)).status, 409)
  })

  it('is kept while its record is open, and 72 hours after its end', async () => {
    const [key, later] = [newKey(), newKey()]
    await script(gateway, '779000002', paidWhenContinued)
    const body = initBody({ number: '779000002' })
    const first = await send(key, body)
    const { transactionId } = first.body.transaction
    const link = { ItemName: 'Panier', ItemPrice: 5000, externalTransactionId: later }
    const linkPath = 'POST /api/v1/transaction/merchant/get-link'
    const { callBackURL, successUrl, failureUrl } = body
    const linkBody = { ...link, callBackURL, successUrl, failureUrl }
    const created = await send(later, linkBody, linkPath)
    for (const one of [key, later]) await age(one, 200 * 3600)
    const sweep = () => forgetOldKeys(db, new Date(Date.now() - 72 * 3_600_000), 100)
    await sweep()
    assertReplays(await send(key, body), first)
    assertReplays(await send(later, linkBody, linkPath), created)
    await continuePayer(gateway, '779000002')
    assert.equal(await until(gateway, transactionId, isEnd), 'SUCCESS')
    await sweep()
    assertReplays(await send(key, body), first)
    await age(key, 73 * 3600)
    // It stays open until the end of the test: what has ended is aged too.
    await script(gateway, '779000004', paidWhenContinued)
    const other = initBody({ number: '779000004' })
    const second = await send(key, other)
    assert.deepEqual([second.status, second.isReplay], [201, false])
    await age(key, 73 * 3600)
    await sweep()
    assertReplays(await send(key, other), second)
    assertReplays(await send(later, linkBody, linkPath), created)
    await continuePayer(gateway, '779000004')
    assert.equal(await until(gateway, second.body.transaction.transactionId, isEnd), 'SUCCESS')
  })

  it('is kept while the delivery that it made is waiting', async () => {
    const key = newKey()
    const { body } = await call(gateway, 'GET /api/v1/events?limit=1')
    const path = `POST /api/v1/events/${body.events[0].id}/replay`
    const first = await send(key, {}, path)
    assert.deepEqual([first.status, first.isReplay], [200, false])
    const turn = (state: string, dueAt: Date | null) => owner`
      update deliveries set state = ${state}, due_at = ${dueAt}
      where id = (select record_id from idempotency_keys where key = ${key})`
    const sweep = () => forgetOldKeys(db, new Date(Date.now() - 72 * 3_600_000), 100)
    await turn('pending', new Date(Date.now() + 3_600_000))
    await age(key, 200 * 3600)
    await sweep()
    assertReplays(await send(key, {}, path), first)
    await turn('delivered', null)
    await sweep()
    assert.equal((await send(key, {}, path)).isReplay, false)
  })

  it('whose process died is claimed by one repetition after five seconds', async () => {
    const key = newKey()
    const body = initBody({ amount: 1 })
    const first = await send(key, body)
    await die(key, 4)
    assertRunning(await send(key, body))
    await die(key, 6)
    assertReused(await send(key, { ...body, amount: 2 }))
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(key, body)))
    const done = answers.filter(({ status, isReplay }) => status === 400 && !isReplay)
    assert.equal(done.length, 1)
    assert.notEqual(done[0]?.text, first.text)
    for (const answer of answers) if (answer.isReplay) assertReplays(answer, done[0] as Answer)
  })

  it('whose process died after recording a transaction gets an answer about it', async () => {
    const key = newKey()
    const body = initBody()
    const first = await send(key, body)
    await die(key, 61)
    const again = await send(key, body)
    assert.deepEqual([again.status, again.isReplay], [201, true])
    const { transactionId } = first.body.transaction
    assert.equal(again.body.transaction.transactionId, transactionId)
    assert.equal(await countOf(body.externalTransactionId), 1)
    assertReplays(await send(key, body), again)
  })

  it('is not taken over while its record is being committed', async () => {
    const key = newKey()
    const body = initBody({ amount: 1 })
    await send(key, body)
    await die(key, 6)
    await db.transaction(async (tx) => {
      const [claim] = await tx<Claim>`
        select client_id as "clientId", key_id as "keyId", key, claim
        from idempotency_keys where key = ${key} for no key update`
      assert.ok(claim)
      await setClaimEnds(connect(), [claim], new Date())
      assertRunning(await send(key, body))
    })
    assert.equal((await send(key, body)).status, 400)
  })

  it('stays with a process that gives signs of life', async () => {
    const other = { ...gateway, url: (await gateway.newProcess()).url }
    const slow = [{ do: 'delay', ms: 60_000 }, { do: 'answer' }]
    await script(gateway, '779000003', slow)
    const key = newKey()
    const body = initBody({ number: '779000003' })
    const running = send(key, body)
    await eventually('the claim is prolonged', async () => {
      const rows = await db`
        select from idempotency_keys
        where key = ${key} and claimed_until > created_at + interval '6 seconds'`
      return rows.length > 0
    })
    assertRunning(await send(key, body, target, other))
    const first = await running
    assertReplays(await send(key, body, target, other), first)
  })
})

it('an answer of 5xx is not stored', async () => {
  const order = { provider: 'WALLETG', country: 'CI', reason: 'test', actor: 'test' }
  const key = newKey()
  const body = initBody({ serviceCode: 'WALLETG_CI_CASHOUT' })
  await pauseProvider({ db, clock }, order)
  await eventually('the pause is seen', () => gateway.pauses.isPaused('WALLETG_CI'))
  for (let times = 0; times < 2; times += 1) {
    const { status, isReplay } = await send(key, body)
    assert.deepEqual([status, isReplay], [503, false])
  }
  await resumeProvider({ db, clock }, order)
  await eventually('its end is seen', () => !gateway.pauses.isPaused('WALLETG_CI'))
  const first = await send(key, body)
  assert.deepEqual([first.status, first.isReplay], [201, false])
  const kept = await db`select key from idempotency_keys where http_status >= 500`
  assert.deepEqual(kept, [])
})

it('the ledger is consistent after these tests', () => assertMoney(gateway))
