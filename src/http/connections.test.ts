import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { Gauge } from '@prometheus-io/client'
import { pino } from 'pino'
import { count, exchange, testGateway } from '../../test/app.ts'
import { eventually } from '../../test/wait.ts'
import { Type } from '../kit/schema.ts'
import { openHttp } from './server.ts'

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const last = 'Connection: close\r\n'

describe('a client without a key that sends many requests ahead', async () => {
  const gateway = await testGateway()
  const app = await gateway.start()

  it('costs one answer at a time, and others are served', async () => {
    await app.send('GET /docs/js/scalar.js', { key: null })
    const beforeBytes = process.memoryUsage().external
    const flood = unreadable(app.port)
    flood.write(request('/docs/js/scalar.js').repeat(100))
    await eventually('the first answer is begun', () => flood.bytesWritten > 0)
    for (let times = 0; times < 10; times += 1)
      assert.equal((await app.send('GET /livez', { key: null })).status, 200)
    assert.equal((await app.send('GET /api/v1/api-services/balance')).status, 200)
    const moreBytes = process.memoryUsage().external - beforeBytes
    flood.destroy()
    assert.ok(moreBytes < 30_000_000, `${moreBytes} bytes`)
  })

  it('gets all of its answers when it reads them', async () => {
    const script = '/docs/js/scalar.js'
    const bytes = request(script).repeat(3) + request(script, last)
    const answers = await app.sendRaw(bytes)
    assert.deepEqual(count(answers), { 200: 4 })
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  })

  it('makes the metrics be rendered twenty times in ten seconds at most', async () => {
    let renders = 0
    new Gauge({
      name: 'test_renders',
      help: 'Counts renderings',
      registers: [app.registry],
      collect: () => void (renders += 1),
    })
    const startMs = performance.now()
    const answers = await app.sendRaw(request('/metrics').repeat(200) + request('/metrics', last))
    assert.deepEqual(count(answers), { 200: 201 })
    const windows = Math.ceil((performance.now() - startMs) / 10_000) + 1
    assert.ok(renders > 0 && renders <= 20 * windows, `${renders} renderings`)
  })
})

describe('the requests of one connection', async () => {
  const log = pino({ level: 'silent' })
  const http = await openHttp({
    log,
    isHttps: false,
    trustedProxies: [],
    redisUrl: null,
    connectionLimits: { waitingMax: 50, waitingBytesMax: 100_000, unreadMaxMs: 200 },
  })
  const { connections } = http
  const large = Buffer.alloc(30_000_000)
  const isOpen = Promise.withResolvers<void>()
  let going = 0
  let goingMost = 0
  http.get('/large', async (_request, reply) => reply.send(large))
  http.get('/held', async () => isOpen.promise.then(() => ({})))
  http.get('/turn', async () => {
    going += 1
    goingMost = Math.max(goingMost, going)
    await new Promise((resolve) => void setTimeout(resolve, 1))
    going -= 1
    return {}
  })
  http.post('/body', { schema: { body: Type.Object({}) } }, async () => ({}))
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  after(() => http.close())

  it('are carried out one after the other', async () => {
    const answers = await exchange(port, [request('/turn').repeat(40) + request('/turn', last)])
    assert.deepEqual(count(answers), { 200: 41 })
    assert.equal(goingMost, 1)
  })

  it('are answered before what could not be parsed', async () => {
    const answers = await exchange(port, [`${request('/turn').repeat(3)}nonsense\r\n\r\n`])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 400],
    )
  })

  const body = `Content-Type: application/json\r\nContent-Length: 60000\r\n`
  const post = `POST /body HTTP/1.1\r\nHost: x\r\n${body}\r\n${' '.repeat(60_000)}`
  const tooMuch: [name: string, bytes: string][] = [
    ['more requests wait than may', request('/held').repeat(60)],
    ['more bytes wait than may', request('/held') + post.repeat(5)],
  ]
  for (const [name, bytes] of tooMuch)
    it(`end with the connection when ${name}`, async () => {
      const before = connections.cut.pipelined
      assert.deepEqual(await exchange(port, [bytes]), [])
      assert.ok(connections.cut.pipelined > before)
    })

  it('end with the connection when the client does not read', async () => {
    const socket = unreadable(port)
    const closed = once(socket, 'close')
    socket.write(request('/large'))
    await eventually('it is cut', () => connections.cut.unread === 1)
    socket.destroy()
    await closed
  })

  it('make it an answered one only when the first is answered', async () => {
    await eventually('all others are closed', () => connections.size === 0)
    const socket = connect(port, '127.0.0.1')
    socket.write(request('/held'))
    await eventually('it is carried out', () => connections.size > connections.idle().length)
    assert.equal(connections.answeredWithin(60_000), 0)
    isOpen.resolve()
    await eventually('it is answered', () => connections.answeredWithin(60_000) === 1)
    socket.destroy()
  })
})

/** A connection whose answers are never read. */
function unreadable(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  return socket
}
