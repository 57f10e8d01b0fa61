import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { assertGeneralError, count, testGateway, within } from '../../test/app.ts'

const slow = 'GET /api/v1/slow'
const limit = 3
let isOpen = Promise.withResolvers<void>()
let entered = 0

const gateway = await testGateway()
const app = await gateway.start({
  inFlightMax: limit,
  routes: (http) =>
    http.get('/api/v1/slow', { schema: { hide: true } }, async () => {
      entered += 1
      await isOpen.promise
      return { status: 'done' }
    }),
})
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const send = (target = slow) => app.send(target, { agent })
const turnedAway = async () =>
  Number(/^passerelle_http_turned_away_total (\d+)/m.exec((await send('GET /metrics')).text)?.[1])

const full = () => within(1000, async () => entered === limit)

describe('with as much under way as may be', () => {
  beforeEach(() => {
    isOpen = Promise.withResolvers<void>()
    entered = 0
  })

  it('turns away the next at once, in words, and takes others when there is room', async () => {
    const before = await turnedAway()
    const going = Array.from({ length: limit }, () => send())
    await full()
    const startMs = performance.now()
    for (const target of [slow, 'GET /api/v1/api-services/balance', 'GET /nowhere', 'GET /docs']) {
      const answer = await send(target)
      assert.equal(answer.status, 503)
      assertGeneralError(answer, 'OVERLOADED')
      assert.equal(answer.headers['retry-after'], '1')
    }
    assert.ok(performance.now() - startMs < 500)
    const french = await app.send(slow, { agent, headers: { 'accept-language': 'fr' } })
    assert.match(french.text, /Le service est très sollicité/)
    assert.equal((await turnedAway()) - before, 5)
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit })
    assert.equal((await send()).status, 200)
  })

  const probes = ['/livez', '/readyz', '/metrics', '/livez/', '/readyz?verbose=1']
  for (const probe of probes)
    it(`still answers ${probe}`, async () => {
      const going = Array.from({ length: limit }, () => send())
      await full()
      assert.equal((await send(`GET ${probe}`)).status, 200)
      isOpen.resolve()
      assert.deepEqual(count(await Promise.all(going)), { 200: limit })
    })

  it('serves as many as it can of a burst, and the rest within moments', async () => {
    let answered = 0
    const going = Array.from({ length: 60 }, () => send().finally(() => void (answered += 1)))
    await within(5000, async () => answered === 60 - limit)
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit, 503: 60 - limit })
  })

  it('has room again when callers hang up', async () => {
    const sockets = Array.from({ length: limit }, () => {
      const socket = connect(app.port, '127.0.0.1')
      const headers = `Host: x\r\nAuthorization: Bearer ${gateway.secret}\r\n`
      socket.write(`GET /api/v1/slow HTTP/1.1\r\n${headers}\r\n`)
      return socket
    })
    await full()
    assert.equal((await send('GET /nowhere')).status, 503)
    for (const socket of sockets) socket.resetAndDestroy()
    await within(1000, async () => (await send('GET /nowhere')).status === 404)
    isOpen.resolve()
  })

  it('does not count a probe that says no as turned away', async () => {
    const before = await turnedAway()
    app.drain()
    assert.equal((await send('GET /readyz')).status, 503)
    assert.equal(await turnedAway(), before)
    agent.destroy()
  })
})
