import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addEcho, echo, testGateway } from '../../test/app.ts'
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
const closed = {
  ...always,
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
const shared = { ...closed, 'cross-origin-resource-policy': 'cross-origin' }
const noKey = { key: null }

describe('the headers of an answer', () => {
  type Scenario = [target: string, status: number, expected: object, sending?: object]
  const scenarios: Scenario[] = [
    ['GET /api/v1/api-services/balance', 200, closed],
    ['HEAD /api/v1/api-services/balance', 200, closed],
    [`POST ${echo}`, 400, closed, { body: '{' }],
    ['GET /api/v1/api-services/balance', 401, closed, noKey],
    ['GET /nowhere', 404, closed],
    ['POST /livez', 405, closed],
    [`POST ${echo}`, 415, closed, { body: 'a', headers: { 'content-type': 'text/plain' } }],
    ['GET /api/v1/bug', 500, closed],
    ['GET /%zz', 400, closed],
    [`GET ${echo}/${'a'.repeat(5000)}`, 400, closed],
    ['GET /livez', 200, closed],
    ['GET /readyz', 200, closed],
    ['GET /metrics', 200, closed],
    ['GET /openapi.json', 200, shared, noKey],
    ['GET /docs/', 200, always, noKey],
  ]
  for (const [target, status, expected, sending = {}] of scenarios)
    it(`${target.slice(0, 60)} (${status}) keep it closed`, async () => {
      const ids = new Set<unknown>()
      for (const [one, isHttps] of [
        [app, false],
        [secured, true],
      ] as const) {
        const { status: actual, headers } = await one.send(target, sending)
        assert.equal(actual, status)
        for (const [name, value] of Object.entries(expected))
          assert.equal(headers[name], value, name)
        const lasting = isHttps ? 'max-age=31536000' : undefined
        assert.equal(headers['strict-transport-security'], lasting)
        assert.match(String(headers['x-request-id']), /^req_[\w-]{10,}$/)
        assert.equal(headers['x-powered-by'], undefined)
        assert.equal(headers.server, undefined)
        ids.add(headers['x-request-id'])
      }
      assert.equal(ids.size, 2)
    })

  it('name the request by our own id, whatever the caller calls it', async () => {
    const headers = { 'x-request-id': 'mine', 'request-id': 'mine' }
    const answer = await app.send('GET /livez', { headers })
    assert.doesNotMatch(String(answer.headers['x-request-id']), /mine/)
  })
})
