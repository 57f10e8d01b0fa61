import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addEcho, assertGeneralError, echo, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const app = await gateway.start({ routes: addEcho })

describe('a path', () => {
  const scenarios: [target: string, status: number, has: RegExp][] = [
    ['GET /api/v1/api-services/balance', 200, /"balance":5000000/],
    ['GET /v1/api-services/balance', 200, /"balance":5000000/],
    ['GET /api-services/balance', 200, /"balance":5000000/],
    ['GET /api/v1/api-services/balance/', 200, /"balance":5000000/],
    ['GET /v1/api-services/balance/', 200, /"balance":5000000/],
    ['GET /api-services/balance/', 200, /"balance":5000000/],
    ['GET /api-services/balance?a=b', 200, /"balance":5000000/],
    ['GET /api-services/balance/?a=b', 200, /"balance":5000000/],
    ['GET /api/v1/api-services/services', 200, /WALLETA_SN_CASHOUT/],
    ['GET /v1/api-services/services', 200, /WALLETA_SN_CASHOUT/],
    ['GET /api-services/services', 200, /WALLETA_SN_CASHOUT/],
    ['GET /test/echo/a%20b', 200, /^\{"id":"a b"\}$/],
    ['GET /livez', 200, /ok/],
    ['GET /livez/', 200, /ok/],
    ['GET /', 200, /<h1>Passerelle/],
    ['GET /version', 200, /^\{"version":"\d+\.\d+\.\d+"/],
    ['GET /v1', 404, /NOT_FOUND/],
    ['GET /api', 404, /NOT_FOUND/],
    ['GET /api/v1', 404, /NOT_FOUND/],
    ['GET /v1/livez', 404, /There is nothing at GET \/v1\/livez/],
    ['GET /api/v1/livez', 404, /NOT_FOUND/],
    ['GET /v1/metrics', 404, /NOT_FOUND/],
    ['GET /v1/docs', 404, /NOT_FOUND/],
    ['GET /v1/openapi.json', 404, /NOT_FOUND/],
    ['GET /v1/v1/api-services/balance', 404, /NOT_FOUND/],
    ['GET /v2/api-services/balance', 404, /NOT_FOUND/],
    ['GET /api/v2/api-services/balance', 404, /NOT_FOUND/],
    ['GET /api/api-services/balance', 404, /NOT_FOUND/],
    ['GET //api/v1/api-services/balance', 404, /NOT_FOUND/],
    ['GET /api/v1//api-services/balance', 404, /NOT_FOUND/],
    ['GET /api/v1/api-services/balance//', 404, /NOT_FOUND/],
    ['GET /API/V1/api-services/balance', 404, /NOT_FOUND/],
    ['GET /api/v1/api-services', 404, /NOT_FOUND/],
    ['GET /api/v1/api-services/balance/1', 404, /NOT_FOUND/],
    ['GET /api/v1/api-services/../api-services/balance', 404, /NOT_FOUND/],
    ['GET /nowhere?a=%00', 404, /NOT_FOUND/],
    ['POST /nowhere', 404, /There is nothing at POST \/nowhere/],
    ['GET /<script>alert(1)</script>', 404, /NOT_FOUND/],
  ]
  for (const [target, status, has] of scenarios)
    it(`${target} gets ${status}`, async () => {
      const answer = await app.send(target)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.text, has)
      if (status === 404) assertGeneralError(answer, 'NOT_FOUND')
    })

  it('the message of a 404 is French with Accept-Language: fr', async () => {
    const headers = { 'accept-language': 'fr' }
    const { text } = await app.send('GET /nowhere', { headers })
    assert.match(text, /Il n'y a rien à GET \/nowhere/)
  })
})

describe('a known path with another method', () => {
  const scenarios: [target: string, allow: string][] = [
    ['POST /api/v1/api-services/balance', 'GET, HEAD'],
    ['POST /v1/api-services/balance', 'GET, HEAD'],
    ['POST /api-services/balance', 'GET, HEAD'],
    ['POST /api/v1/api-services/balance/', 'GET, HEAD'],
    ['PUT /api/v1/api-services/balance?a=b', 'GET, HEAD'],
    ['DELETE /api/v1/api-services/services', 'GET, HEAD'],
    ['PATCH /livez', 'GET, HEAD'],
    ['OPTIONS /api/v1/api-services/balance', 'GET, HEAD'],
    ['TRACE /api/v1/api-services/balance', 'GET, HEAD'],
    ['PROPFIND /api/v1/api-services/balance', 'GET, HEAD'],
    ['MKCALENDAR /api/v1/api-services/balance', 'GET, HEAD'],
    ['QUERY /api/v1/api-services/balance', 'GET, HEAD'],
    [`GET ${echo}`, 'POST'],
    [`HEAD ${echo}/`, 'POST'],
    [`PUT ${echo}/some-id`, 'GET, HEAD'],
    ['DELETE /openapi.json', 'GET, HEAD'],
    ['HEAD /api/v1/events/stream', 'GET'],
  ]
  for (const [target, allow] of scenarios)
    it(`${target} gets 405 with Allow: ${allow}`, async () => {
      const answer = await app.send(target)
      assert.equal(answer.status, 405, answer.text)
      assert.equal(answer.headers.allow, allow)
      if (!target.startsWith('HEAD')) assertGeneralError(answer, 'METHOD_NOT_ALLOWED')
    })
})

describe('HEAD', () => {
  const scenarios: [path: string, key: string | null, status: number][] = [
    ['/api/v1/api-services/balance', gateway.secret, 200],
    ['/v1/api-services/services', gateway.secret, 200],
    ['/livez', null, 200],
    ['/api/v1/api-services/balance', null, 401],
    ['/nowhere', null, 404],
  ]
  for (const [path, key, status] of scenarios)
    it(`of ${path} gets ${status} like GET, without a body`, async () => {
      const [head, get] = [
        await app.send(`HEAD ${path}`, { key }),
        await app.send(`GET ${path}`, { key }),
      ]
      assert.deepEqual([head.status, get.status], [status, status])
      assert.equal(head.text, '')
      assert.equal(head.headers['content-type'], get.headers['content-type'])
      assert.ok(Number(head.headers['content-length']) > 0)
    })
})
