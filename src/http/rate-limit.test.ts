import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addEcho,
  assertGeneralError,
  count,
  echo,
  echoBody,
  sendMany,
  testGateway,
} from '../../test/app.ts'
import { changeClient } from '../clients/clients.ts'
import { MemoryRateStore } from './rate-limit.ts'

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
      if (clientRate !== undefined) await changeClient(db, clock, { id, change, actor: 'test' })
      const { headers } = await app.send(balance, { key: await keyFor(keyRate, id) })
      assert.equal(headers['ratelimit-limit'], limit)
    })
})

it('the window of a key begins with its first request and lasts 60 s', () => {
  let nowMs = 0
  const counts = new MemoryRateStore({}, () => nowMs)
  const hits = (key: string) => {
    let counted = { current: 0, ttl: 0 }
    counts.incr(key, (_problem, result) => void (counted = result), 60_000)
    return [counted.current, counted.ttl]
  }
  assert.deepEqual(hits('a'), [1, 60_000])
  nowMs = 59_999
  assert.deepEqual(hits('a'), [2, 1])
  assert.deepEqual(hits('b'), [1, 60_000])
  nowMs = 60_000
  assert.deepEqual(hits('a'), [1, 60_000])
  assert.deepEqual(hits('b'), [2, 59_999])
})
