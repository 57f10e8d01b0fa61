import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { beforeEach, describe, it } from 'node:test'
import { assertGeneralError, count, testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'
import { streamAsEvents } from './stream.ts'

const slow = 'GET /api/v1/slow'
const limit = 3
let isOpen = Promise.withResolvers<void>()
let entered = 0

// oxlint-disable-next-line require-yield
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  if (!signal.aborted) await once(signal, 'abort')
}

const gateway = await testGateway()
const app = await gateway.start({
  inFlightMax: limit,
  routes: (http) => {
    for (const path of ['/api/v1/slow', '/slow-page'])
      http.get(path, { schema: { hide: true } }, async () => {
        entered += 1
        await isOpen.promise
        return { status: 'done' }
      })
    http.get('/api/v1/silent-stream', { schema: { hide: true } }, (_request, reply) =>
      streamAsEvents(reply, silence, Object),
    )
  },
})
const authorization = `Authorization: Bearer ${gateway.secret}\r\n`
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const send = (target = slow) => app.send(target, { agent })
const turnedAway = async () =>
  Number(/^passerelle_http_turned_away_total (\d+)/m.exec((await send('GET /metrics')).text)?.[1])

const full = () => eventually('all places are taken', async () => entered === limit)

describe('with the most requests in progress that are allowed', () => {
  beforeEach(() => {
    isOpen = Promise.withResolvers<void>()
    entered = 0
  })

  it('further requests get 503 at once, and 200 when the others have ended', async () => {
    const before = await turnedAway()
    const going = Array.from({ length: limit }, () => send())
    await full()
    for (const target of [slow, 'GET /api/v1/api-services/balance', 'GET /nowhere', 'GET /docs']) {
      const answer = await send(target)
      assert.equal(answer.status, 503)
      assertGeneralError(answer, 'OVERLOADED')
      assert.equal(answer.headers['retry-after'], '1')
    }
    const french = await app.send(slow, { agent, headers: { 'accept-language': 'fr' } })
    assert.match(french.text, /Le service est très sollicité/)
    assert.equal((await turnedAway()) - before, 5)
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit })
    assert.equal((await send()).status, 200)
  })

  const probes = ['/livez', '/readyz', '/metrics', '/livez/', '/readyz?verbose=1']
  for (const probe of probes)
    it(`${probe} is still answered`, async () => {
      const going = Array.from({ length: limit }, () => send())
      await full()
      assert.equal((await send(`GET ${probe}`)).status, 200)
      isOpen.resolve()
      assert.deepEqual(count(await Promise.all(going)), { 200: limit })
    })

  it('callbacks of providers are still received', async () => {
    const going = Array.from({ length: limit }, () => send())
    await full()
    const forged = 'POST /callbacks/gsma/1/00000000-0000-4000-8000-000000000000/forged'
    assert.equal((await send(forged)).status, 404)
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit })
  })

  it('pages without a key take a quarter of the places, at least one', async () => {
    const page = send('GET /slow-page')
    await eventually('the page is begun', async () => entered === 1)
    for (const target of ['GET /slow-page', 'GET /nowhere'])
      assert.equal((await send(target)).status, 503)
    const going = Array.from({ length: limit - 1 }, () => send())
    await full()
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all([page, ...going])), { 200: limit })
  })

  it('of 60 requests at once the limit is served and the others get 503', async () => {
    let answered = 0
    const going = Array.from({ length: 60 }, () => send().finally(() => void (answered += 1)))
    await eventually('all others are answered', async () => answered === 60 - limit)
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit, 503: 60 - limit })
  })

  it('those that get 503 have no lines in the log', async () => {
    const linesBefore = app.logged.length
    const going = Array.from({ length: limit }, () => send())
    await full()
    const answers = await Promise.all(Array.from({ length: 40 }, () => send()))
    assert.deepEqual(count(answers), { 503: 40 })
    assert.deepEqual(
      app.logged.slice(linesBefore).filter(({ status }) => status === 503),
      [],
    )
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit })
  })

  it('a request whose client disconnected no longer counts', async () => {
    const sockets = Array.from({ length: limit }, () => {
      const socket = connect(app.port, '127.0.0.1')
      socket.write(`GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`)
      return socket
    })
    await full()
    assert.equal((await send('GET /nowhere')).status, 503)
    for (const socket of sockets) socket.resetAndDestroy()
    await eventually('places are free', async () => (await send('GET /nowhere')).status === 404)
    isOpen.resolve()
  })

  it('a stream that has begun no longer counts', async () => {
    const sockets = []
    for (let count = 0; count < limit + 2; count += 1) {
      const socket = connect(app.port, '127.0.0.1')
      sockets.push(socket)
      socket.write(`GET /api/v1/silent-stream HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`)
      const [head] = await once(socket, 'data')
      assert.match(String(head), /^HTTP\/1.1 200 /)
    }
    const going = Array.from({ length: limit }, () => send())
    await full()
    for (const socket of sockets) socket.destroy()
    isOpen.resolve()
    assert.deepEqual(count(await Promise.all(going)), { 200: limit })
  })

  it('the 503 of /readyz does not count as turned away', async () => {
    const before = await turnedAway()
    app.drain()
    assert.equal((await send('GET /readyz')).status, 503)
    assert.equal(await turnedAway(), before)
    agent.destroy()
  })
})
