import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { revokeKey, rotateKey } from '#merchants/clients/keys.ts'
import { addEcho, assertGeneralError, echo, testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'

const gateway = await testGateway()
const { db, clock, clientId, newKey, secret } = gateway
const app = await gateway.start({ routes: addEcho })
const behindProxy = await gateway.start({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
const balance = 'GET /api/v1/api-services/balance'

describe('the Authorization header', () => {
  const accepted: [name: string, authorization: string][] = [
    ['of the documented form', `Bearer ${secret}`],
    ['with two spaces', `Bearer  ${secret}`],
    ['with the scheme in small letters', `bearer ${secret}`],
    ['with spaces around it', `  Bearer ${secret}  `],
  ]
  for (const [name, authorization] of accepted)
    it(`a header ${name} is accepted`, async () => {
      assert.equal((await app.send(balance, { headers: { authorization } })).status, 200)
    })

  const refused: [name: string, authorization: string | undefined, code: string][] = [
    ['that is missing', undefined, 'MISSING_API_KEY'],
    ['that is empty', '', 'INVALID_API_KEY'],
    ['without a scheme', secret, 'INVALID_API_KEY'],
    ['that is only a scheme', 'Bearer', 'INVALID_API_KEY'],
    ['that is a scheme and a space', 'Bearer ', 'INVALID_API_KEY'],
    ['of another scheme', `Basic ${btoa(`${secret}:`)}`, 'INVALID_API_KEY'],
    ['of a scheme that begins alike', `Bearers ${secret}`, 'INVALID_API_KEY'],
    ['after a tab', `Bearer\t${secret}`, 'INVALID_API_KEY'],
    ['with a tab inside', `Bearer ${secret}\tx`, 'INVALID_API_KEY'],
    ['followed by another', `Bearer ${secret} ${secret}`, 'INVALID_API_KEY'],
    ['in a list', `Bearer ${secret}, Bearer ${secret}`, 'INVALID_API_KEY'],
    ['in quotes', `Bearer "${secret}"`, 'INVALID_API_KEY'],
    ['that is unknown', 'Bearer sk_sandbox_nobody', 'INVALID_API_KEY'],
    ['with a letter too many', `Bearer ${secret}a`, 'INVALID_API_KEY'],
    ['with a letter too few', `Bearer ${secret.slice(0, -1)}`, 'INVALID_API_KEY'],
    ['in capitals', `Bearer ${secret.toUpperCase()}`, 'INVALID_API_KEY'],
    ['that is an SQL wildcard', 'Bearer %', 'INVALID_API_KEY'],
    ['of 10 kB', `Bearer ${'a'.repeat(10_000)}`, 'INVALID_API_KEY'],
    ['with an accent', 'Bearer clé', 'INVALID_API_KEY'],
    ['with bytes of UTF-8', Buffer.from('Bearer ключ').toString('latin1'), 'INVALID_API_KEY'],
  ]
  for (const [name, authorization, code] of refused)
    it(`a key ${name} is refused with 401`, async () => {
      const answer = await app.send(balance, { key: null, headers: { authorization } })
      assert.equal(answer.status, 401)
      assertGeneralError(answer, code)
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
      assert.equal(answer.headers['ratelimit-limit'], undefined)
      assert.doesNotMatch(answer.text, /sk_|balance/)
    })

  for (const [name, second] of [
    ['the same key', secret],
    ['another key', 'sk_sandbox_nobody'],
  ])
    it(`a second header with ${name} is refused with 401`, async () => {
      const [answer] = await app.sendRaw(
        'GET /api/v1/api-services/balance HTTP/1.1\r\nHost: x\r\nConnection: close\r\n',
        `Authorization: Bearer ${secret}\r\nAuthorization: Bearer ${second}\r\n\r\n`,
      )
      assert.equal(answer?.status, 401)
    })

  it('a revoked key is refused within a second, with the answer to an unknown key', async () => {
    const key = await newKey(clientId)
    assert.equal((await app.send(balance, { key: key.secret })).status, 200)
    await revokeKey({ db, clock }, { id: key.id, actor: 'test' })
    const statusOf = async () => (await app.send(balance, { key: key.secret })).status
    await eventually('the key is refused', async () => (await statusOf()) === 401)
    const revoked = await app.send(balance, { key: key.secret })
    const unknown = await app.send(balance, { key: 'sk_sandbox_nobody' })
    assert.deepEqual({ ...revoked.body, requestId: '' }, { ...unknown.body, requestId: '' })
  })

  it('both secrets of a rotated key work during the overlap, then only the new one', async () => {
    const key = await newKey(clientId)
    const order = { id: key.id, overlapMs: 60_000, actor: 'test' }
    const { secret: fresh } = await rotateKey({ db, clock, mode: 'sandbox' }, order)
    const statuses = () =>
      Promise.all(
        [key.secret, fresh].map(async (one) => (await app.send(balance, { key: one })).status),
      )
    assert.deepEqual(await statuses(), [200, 200])
    clock.advance(60_001)
    await eventually('the key is refused', async () => (await statuses())[0] === 401)
    assert.deepEqual(await statuses(), [401, 200])
  })
})

describe('a read-only key', async () => {
  const { secret: key } = await newKey(clientId, { rights: ['read'] })
  const scenarios: [target: string, status: number][] = [
    ['GET /api/v1/api-services/services', 200],
    ['HEAD /api/v1/api-services/services', 200],
    [balance, 403],
    ['HEAD /api/v1/api-services/balance', 403],
    [`POST ${echo}`, 403],
    ['POST /v1/test/echo', 403],
  ]
  for (const [target, status] of scenarios)
    it(`gets ${status} for ${target}`, async () => {
      const answer = await app.send(target, { key })
      assert.equal(answer.status, status)
      if (status === 403 && !target.startsWith('HEAD')) assertGeneralError(answer, 'RIGHT_MISSING')
    })
})

describe('a key bound to IP addresses', () => {
  const scenarios: [name: string, allowed: string[], status: number][] = [
    ['without the caller’s address', ['10.0.0.0/8', '::1'], 403],
    ['with the caller’s address', ['10.0.0.0/8', '127.0.0.1'], 200],
    ['with the caller’s network', ['127.0.0.0/8'], 200],
  ]
  for (const [name, allowedAddresses, status] of scenarios)
    it(`a list ${name} gives ${status}`, async () => {
      const { secret: key } = await newKey(clientId, { allowedAddresses })
      const answer = await app.send(balance, { key })
      assert.equal(answer.status, status)
      if (status === 403) assertGeneralError(answer, 'ADDRESS_NOT_ALLOWED')
    })

  const forwarded: [name: string, forwarded: string, isTrusted: boolean, status: number][] = [
    ['from an untrusted caller', '10.1.2.3', false, 403],
    ['set by the trusted proxy', '10.1.2.3', true, 200],
    ['sent by the caller through the trusted proxy', '10.1.2.3, 192.0.2.7', true, 403],
    ['that names another address', '192.0.2.7', true, 403],
    ['that is not an address', 'nonsense', true, 403],
    ['that is empty', ' , ', true, 403],
  ]
  for (const [name, header, isTrusted, status] of forwarded)
    it(`an X-Forwarded-For ${name} gives ${status}`, async () => {
      const { secret: key } = await newKey(clientId, { allowedAddresses: ['10.0.0.0/8'] })
      const target = isTrusted ? behindProxy : app
      const answer = await target.send(balance, { key, headers: { 'x-forwarded-for': header } })
      assert.equal(answer.status, status)
    })
})

describe('every documented route', async () => {
  const { id, secret: revoked } = await newKey(clientId)
  await revokeKey({ db, clock }, { id, actor: 'test' })
  const { paths } = (await app.send('GET /openapi.json')).body as {
    paths: Record<string, Record<string, unknown>>
  }
  const targets = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const strangers: [name: string, key: string | null][] = [
    ['no key', null],
    ['a bad key', 'sk_sandbox_nobody'],
    ['a revoked key', revoked],
  ]
  for (const target of targets)
    for (const [name, key] of strangers)
      it(`${target} answers 401 to ${name}`, async () => {
        const answer = await app.send(target.replaceAll(/\{\w+\}/g, 'x'), { key })
        assert.equal(answer.status, 401)
        assertGeneralError(answer)
      })
})

it('no secret is logged', () => {
  assert.ok(app.logged.length > 50)
  assert.equal(JSON.stringify(app.logged).includes(secret), false)
})
