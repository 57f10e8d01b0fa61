import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { openPool } from '#data/db/server.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import {
  addEcho,
  assertGeneralError,
  count,
  echo,
  echoBody,
  sendMany,
  testGateway,
} from '#test/app.ts'
import { eventually } from '#test/wait.ts'
import { openKeyRates } from './key-rates.ts'
import { RateWindows } from './rate-windows.ts'

const gateway = await testGateway()
const { db, clock, clientId, newKey } = gateway
const app = await gateway.start({ routes: addEcho })
const balance = 'GET /api/v1/api-services/balance'
const keyFor = async (ratePerMinute: number | null, client = clientId) =>
  (await newKey(client, { ratePerMinute })).secret

describe('the limit of a key', () => {
  it('lets exactly 100 of 1,000 parallel requests pass (S6)', async () => {
    const answers = await sendMany([app], 1000, balance, await keyFor(null))
    assert.deepEqual(count(answers), { 200: 100, 429: 900 })
    const remaining = answers.map(({ headers }) => Number(headers['ratelimit-remaining']))
    const expected = Array.from({ length: 1000 }, (_, index) => Math.max(0, 99 - index))
    assert.deepEqual(
      remaining.sort((a, b) => b - a),
      expected,
    )
  })

  it('lets exactly 100 of 200 pipelined requests pass', async () => {
    const key = await keyFor(null)
    const head = `GET ${balance.slice(4)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
    const bytes = `${`${head}\r\n`.repeat(199)}${head}Connection: close\r\n\r\n`
    assert.deepEqual(count(await app.sendRaw(bytes)), { 200: 100, 429: 100 })
  })

  it('is in headers of every answer to a valid key, with Retry-After on 429', async () => {
    const key = await keyFor(4)
    const answers = [
      await app.send(balance, { key }),
      await app.send(`POST ${echo}`, { key, json: { ...echoBody, amount: 1 } }),
      await app.send(`POST ${echo}`, { key, json: { ...echoBody, externalTransactionId: 'used' } }),
      await app.send(`POST ${echo}`, { key, body: '{' }),
      await app.send(balance, { key }),
    ]
    const limits = answers.map(({ status, headers }) => [
      status,
      headers['ratelimit-limit'],
      headers['ratelimit-remaining'],
    ])
    assert.deepEqual(limits, [
      [200, '4', '3'],
      [400, '4', '2'],
      [409, '4', '1'],
      [400, '4', '0'],
      [429, '4', '0'],
    ])
    for (const { status, headers } of answers) {
      const reset = Number(headers['ratelimit-reset'])
      assert.ok(reset >= 50 && reset <= 60, `${reset}`)
      assert.equal(headers['retry-after'], status === 429 ? String(reset) : undefined)
    }
  })

  it('refuses with a sentence, in English and French', async () => {
    const key = await keyFor(1)
    await app.send(balance, { key })
    const english = await app.send(balance, { key })
    assertGeneralError(english, 'RATE_LIMITED')
    assert.match(english.text, /"Too many requests: at most 1 a minute, try again in \d+ s"/)
    const french = await app.send(balance, { key, headers: { 'accept-language': 'fr' } })
    assert.match(french.text, /"Trop de requêtes : 1 par minute au plus, réessayez dans \d+ s"/)
  })

  it('is not shared with another key of the same client', async () => {
    const [first, second] = [await keyFor(1), await keyFor(1)]
    const statuses: number[] = []
    for (const key of [first, first, second, second])
      statuses.push((await app.send(balance, { key })).status)
    assert.deepEqual(statuses, [200, 429, 200, 429])
  })

  it('counts short paths, HEAD and refused requests alike', async () => {
    const key = await keyFor(5)
    const targets = [
      'GET /api/v1/api-services/balance',
      'GET /v1/api-services/balance',
      'GET /api-services/services',
      'HEAD /api-services/balance/',
      `POST ${echo}`,
      'GET /v1/api-services/services',
    ]
    const statuses: number[] = []
    for (const target of targets) statuses.push((await app.send(target, { key })).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 400, 429])
  })

  it('does not count requests with a wrong key, probes and unknown paths', async () => {
    const key = await keyFor(1)
    for (const target of ['GET /livez', 'GET /nowhere', 'POST /api/v1/api-services/balance'])
      await app.send(target, { key })
    await app.send(balance, { key: `${key}x` })
    assert.equal((await app.send(balance, { key })).status, 200)
  })

  const limits: [name: string, clientRate: number | undefined, keyRate: number | null, string][] = [
    ['of a standard client', undefined, null, '100'],
    ['of an enterprise client', 700, null, '700'],
    ['of a key with its own', undefined, 250, '250'],
    ['of a key with its own at an enterprise client', 700, 30, '30'],
  ]
  for (const [name, clientRate, keyRate, limit] of limits)
    it(`${name} is ${limit} a minute`, async () => {
      const id = await gateway.merchant(0)
      const change = { tier: 'enterprise' as const, ratePerMinute: clientRate ?? 0 }
      if (clientRate !== undefined) await changeClient({ db, clock }, { id, change, actor: 'test' })
      const { headers } = await app.send(balance, { key: await keyFor(keyRate, id) })
      assert.equal(headers['ratelimit-limit'], limit)
    })
})

it('the window of a key begins with its first request and lasts 60 s', () => {
  let nowMs = 0
  const counts = new RateWindows(60_000, () => nowMs)
  const hits = (key: string) => Object.values(counts.count(key))
  assert.deepEqual(hits('a'), [1, 60_000])
  nowMs = 59_999
  assert.deepEqual(hits('a'), [2, 1])
  assert.deepEqual(hits('b'), [1, 60_000])
  nowMs = 60_000
  assert.deepEqual(hits('a'), [1, 60_000])
  assert.deepEqual(hits('b'), [2, 59_999])
})

describe('the counts of several processes', () => {
  let nowMs = clock.now().getTime()
  const open = (own = db) => {
    const rates = openKeyRates({ db: own, clock: { now: () => new Date(nowMs) } })
    after(rates.close)
    return rates
  }
  const times = (count: number, rates: ReturnType<typeof open>, keyId: string) =>
    Array.from({ length: count }, () => rates.count(keyId)).at(-1)

  it('are added up when they are shared, to a minute that begins with the first', async () => {
    const [one, other, key] = [open(), open(), randomUUID()]
    assert.deepEqual(times(60, one, key), { current: 60, leftMs: 60_000 })
    await one.share()
    nowMs += 10_000
    assert.deepEqual(times(30, other, key), { current: 30, leftMs: 60_000 })
    await other.share()
    assert.deepEqual(other.count(key), { current: 91, leftMs: 50_000 })
    await one.share()
    assert.deepEqual(one.count(key), { current: 61, leftMs: 50_000 })
    await Promise.all([one.share(), other.share()])
    times(1, one, key)
    await one.share()
    assert.equal(one.count(key).current, 94)
    nowMs += 50_000
    for (const rates of [one, other])
      assert.deepEqual(rates.count(key), { current: 1, leftMs: 60_000 })
    await one.share()
    await other.share()
    assert.deepEqual(other.count(key), { current: 3, leftMs: 60_000 })
  })

  it('of one process stay exact while they are shared', async () => {
    const [rates, key] = [open(), randomUUID()]
    for (let current = 1; current <= 300; current += 1) {
      assert.equal(rates.count(key).current, current)
      if (current % 3 === 0) void rates.share()
      if (current % 10 === 0) await rates.share()
    }
  })

  it('are kept while the database is away', async () => {
    const own = openPool('postgresql://nobody@127.0.0.1:1/none')
    const [rates, key] = [open(own), randomUUID()]
    times(5, rates, key)
    await rates.share()
    assert.equal(rates.count(key).current, 6)
    await own.close()
  })
})

it('two processes let a key exceed its limit by no more than they count in a second', async () => {
  const other = await gateway.start({ routes: addEcho })
  const secret = await keyFor(20)
  const passed = async (one: typeof app) =>
    (await one.send(balance, { key: secret })).status === 200
  const answers = await Promise.all(Array.from({ length: 40 }, () => passed(app)))
  assert.equal(answers.filter(Boolean).length, 20)
  let more = 0
  await eventually('the other process knows of it', async () => {
    const isPassed = await passed(other)
    more += isPassed ? 1 : 0
    return !isPassed
  })
  assert.ok(more <= 20, `${more}`)
})
