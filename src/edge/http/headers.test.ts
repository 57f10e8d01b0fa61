import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addEcho, echo, testGateway } from '#test/app.ts'
import type { Http } from './http.ts'

const gateway = await testGateway()
const routes = (http: Http) => {
  addEcho(http)
  http.get('/api/v1/bug', { schema: { hide: true } }, async () => {
    throw new Error('a bug')
  })
}
const app = await gateway.start({ routes })
const secured = await gateway.start({
  routes,
  environment: { PUBLIC_URL: 'https://pay.example.com' },
})

const always = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}
const restrictive = {
  ...always,
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
const readableAnywhere = {
  ...restrictive,
  'cross-origin-resource-policy': 'cross-origin',
  // Kept by browsers, and asked for again with its ETag.
  'cache-control': 'no-cache',
}
const noKey = { key: null }

describe('the security headers', () => {
  type Scenario = [target: string, status: number, expected: object, sending?: object]
  const scenarios: Scenario[] = [
    ['GET /api/v1/api-services/balance', 200, restrictive],
    ['HEAD /api/v1/api-services/balance', 200, restrictive],
    [`POST ${echo}`, 400, restrictive, { body: '{' }],
    ['GET /api/v1/api-services/balance', 401, restrictive, noKey],
    ['GET /nowhere', 404, restrictive],
    ['POST /livez', 405, restrictive],
    [`POST ${echo}`, 415, restrictive, { body: 'a', headers: { 'content-type': 'text/plain' } }],
    ['GET /api/v1/bug', 500, restrictive],
    ['GET /%zz', 400, restrictive],
    [`GET ${echo}/${'a'.repeat(5000)}`, 400, restrictive],
    ['GET /livez', 200, restrictive],
    ['GET /readyz', 200, restrictive],
    ['GET /metrics', 200, restrictive],
    ['GET /openapi.json', 200, readableAnywhere, noKey],
    ['GET /docs/', 200, always, noKey],
  ]
  for (const [target, status, expected, sending = {}] of scenarios)
    it(`are set on the ${status} of ${target.slice(0, 60)}`, async () => {
      const ids = new Set<unknown>()
      for (const [one, isHttps] of [
        [app, false],
        [secured, true],
      ] as const) {
        const { status: actual, headers } = await one.send(target, sending)
        assert.equal(actual, status)
        for (const [name, value] of Object.entries(expected))
          assert.equal(headers[name], value, name)
        const transportSecurity = isHttps ? 'max-age=31536000' : undefined
        assert.equal(headers['strict-transport-security'], transportSecurity)
        assert.match(String(headers['x-request-id']), /^req_[\w-]{10,}$/)
        assert.equal(headers['x-powered-by'], undefined)
        assert.equal(headers.server, undefined)
        ids.add(headers['x-request-id'])
      }
      assert.equal(ids.size, 2)
    })

  it('X-Request-Id is generated here, whatever id the caller sends', async () => {
    const headers = { 'x-request-id': 'mine', 'request-id': 'mine' }
    const answer = await app.send('GET /livez', { headers })
    assert.doesNotMatch(String(answer.headers['x-request-id']), /mine/)
  })
})
