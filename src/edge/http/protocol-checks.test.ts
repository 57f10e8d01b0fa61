import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Type } from 'typebox'
import { addEcho, assertGeneralError, echo, echoBody, exchange, testGateway } from '#test/app.ts'
import { openHttp } from './server.ts'

const gateway = await testGateway()
const app = await gateway.start({ routes: addEcho })
const json = JSON.stringify(echoBody)
const own = `Host: x\r\nAuthorization: Bearer ${gateway.secret}\r\n`
const close = 'Connection: close\r\n'
const typed = 'Content-Type: application/json\r\n'
const post = `POST ${echo} HTTP/1.1\r\n${own}${typed}`
const get = (path: string, headers = own) => `GET ${path} HTTP/1.1\r\n${headers}${close}\r\n`
const sized = `Content-Length: ${json.length}\r\n`
const chunked = 'Transfer-Encoding: chunked\r\n'
const chunks = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`

describe('the handshake of a WebSocket', () => {
  const handshake =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  for (const path of ['/livez', echo, '/nowhere'])
    it(`is refused at an ordinary address: ${path}`, async () => {
      const request = `GET ${path} HTTP/1.1\r\n${own}${handshake}`
      const [answer] = await exchange(app.port, [request])
      assert.equal(answer?.status, 400)
      assert.match(JSON.stringify(answer), /There is no WebSocket at this address/)
    })
})

describe('the parameters of an address', () => {
  const path = (count: number) => `/livez?${Array.from({ length: count }, () => 'a').join('&')}`
  for (const [count, status] of [
    [50, 200],
    [51, 400],
    [5000, 400],
  ] as const)
    it(`are ${status === 200 ? 'read' : 'refused'} where there are ${count}`, async () => {
      const [answer] = await app.sendRaw(get(path(count)))
      assert.equal(answer?.status, status)
      const isTold = /more than 50 parameters/.test(JSON.stringify(answer))
      assert.equal(isTold, status === 400)
    })

  it('are counted in a query alone', async () => {
    const [answer] = await app.sendRaw(get(`/nowhere${'&'.repeat(60)}`))
    assert.equal(answer?.status, 404)
  })
})

describe('unusual but valid HTTP', () => {
  const scenarios: [name: string, status: number, ...parts: (string | number)[]][] = [
    ['of HTTP/1.0', 200, 'GET /livez HTTP/1.0\r\n\r\n'],
    ['of HTTP/0.9', 200, 'GET /livez\r\n\r\n'],
    ['with an absolute address', 200, get('http://x/livez')],
    ['with a body in chunks', 201, `${post}${close}${chunked}\r\n${chunks}`],
    ['byte by byte', 200, ...get('/livez').split('')],
    ['with a pause in the middle', 201, `${post}${close}${sized}\r\n`, 100, json],
    ['with an unknown expectation', 201, `${post}${close}${sized}Expect: a-miracle\r\n\r\n${json}`],
    ['with a body on GET', 200, `${get('/livez').slice(0, -2)}${sized}\r\n${json}`],
    ['after empty lines', 200, `\r\n\r\n${get('/livez')}`],
  ]
  for (const [name, status, ...parts] of scenarios)
    it(`a request ${name} gets ${status}`, async () => {
      const answers = await app.sendRaw(...parts)
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      )
    })

  it('a request with Expect: 100-continue gets 100, then its answer', async () => {
    const head = `${post}${close}${sized}Expect: 100-continue\r\n\r\n`
    const answers = await app.sendRaw(head, 100, json)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 201],
    )
  })

  it('pipelined requests are answered in their order', async () => {
    const line = (path: string) => `GET ${path} HTTP/1.1\r\n${own}\r\n`
    const answers = await app.sendRaw(
      line(`${echo}/1`) + line('/nowhere') + `${post}${sized}\r\n${json}` + line('/livez'),
      get(`${echo}/2`),
    )
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.id]),
      [
        [200, '1'],
        [404, undefined],
        [201, undefined],
        [200, undefined],
        [200, '2'],
      ],
    )
  })
})

describe('malformed HTTP', () => {
  const spread = `${'a'.repeat(90)}: b\r\n`.repeat(200)
  const scenarios: [name: string, status: number, code: string, ...parts: (string | Buffer)[]][] = [
    ['that is one word', 400, 'MALFORMED_REQUEST', 'nonsense\r\n\r\n'],
    ['of binary bytes', 400, 'MALFORMED_REQUEST', Buffer.from([0, 1, 2, 255, 254, 13, 10])],
    ['of TLS', 400, 'MALFORMED_REQUEST', Buffer.from('160301010001000fc0303', 'hex')],
    ['of HTTP/2', 400, 'MALFORMED_REQUEST', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['of HTTP/9.9', 400, 'MALFORMED_REQUEST', 'GET /livez HTTP/9.9\r\n\r\n'],
    ['with an unknown method', 400, 'MALFORMED_REQUEST', `PAY /livez HTTP/1.1\r\n${own}\r\n`],
    ['with a method in small letters', 400, 'MALFORMED_REQUEST', `get / HTTP/1.1\r\n${own}\r\n`],
    ['with a space in the path', 400, 'MALFORMED_REQUEST', get('/a b')],
    ['with a NUL in the path', 400, 'MALFORMED_REQUEST', get('/a\0b')],
    ['without a host', 400, 'MALFORMED_REQUEST', get('/livez', '')],
    ['with two hosts', 400, 'MALFORMED_REQUEST', get('/livez', 'Host: a\r\nHost: b\r\n')],
    [
      'with a header without a colon',
      400,
      'MALFORMED_REQUEST',
      get('/livez', `${own}nonsense\r\n`),
    ],
    ['with a space before the colon', 400, 'MALFORMED_REQUEST', get('/livez', `${own}A : b\r\n`)],
    ['with a NUL in a header', 400, 'MALFORMED_REQUEST', get('/livez', `${own}A: \0\r\n`)],
    [
      'with a header folded over lines',
      400,
      'MALFORMED_REQUEST',
      get('/livez', `${own}A: b\r\n c\r\n`),
    ],
    ['with a CR without LF', 400, 'MALFORMED_REQUEST', get('/livez', `${own}A: b\rC: d\r\n`)],
    [
      'with a header of 20 kB',
      431,
      'HEADERS_TOO_LARGE',
      get('/livez', `${own}A: ${'a'.repeat(2e4)}\r\n`),
    ],
    ['with 200 headers', 431, 'HEADERS_TOO_LARGE', get('/livez', own + spread)],
    ['with a path of 20 kB', 431, 'HEADERS_TOO_LARGE', get(`/${'a'.repeat(2e4)}`)],
    [
      'with two different lengths',
      400,
      'MALFORMED_REQUEST',
      `${post}${sized}Content-Length: 5\r\n\r\n${json}`,
    ],
    ['with the same length twice', 400, 'MALFORMED_REQUEST', `${post}${sized}${sized}\r\n${json}`],
    [
      'with a negative length',
      400,
      'MALFORMED_REQUEST',
      `${post}Content-Length: -1\r\n\r\n${json}`,
    ],
    [
      'with a length that is no number',
      400,
      'MALFORMED_REQUEST',
      `${post}Content-Length: ten\r\n\r\n${json}`,
    ],
    [
      'with a length of 30 digits',
      400,
      'MALFORMED_REQUEST',
      `${post}Content-Length: ${'9'.repeat(30)}\r\n\r\n`,
    ],
    [
      'with a length and chunks',
      400,
      'MALFORMED_REQUEST',
      `${post}${sized}${chunked}\r\n${chunks}`,
    ],
    [
      'with chunks and a length',
      400,
      'MALFORMED_REQUEST',
      `${post}${chunked}${sized}\r\n${chunks}`,
    ],
    [
      'with an unknown transfer coding',
      400,
      'MALFORMED_REQUEST',
      `${post}Transfer-Encoding: xchunked\r\n\r\n${chunks}`,
    ],
    [
      'with the transfer codings chunked, then gzip',
      400,
      'MALFORMED_REQUEST',
      `${post}Transfer-Encoding: chunked, gzip\r\n\r\n${chunks}`,
    ],
    [
      'with two transfer codings',
      400,
      'MALFORMED_REQUEST',
      `${post}${chunked}Transfer-Encoding: x\r\n\r\n${chunks}`,
    ],
    [
      'with a chunk size that is no number',
      400,
      'MALFORMED_REQUEST',
      `${post}${close}${chunked}\r\nxyz\r\n${json}\r\n0\r\n\r\n`,
    ],
    [
      'with a chunk longer than its size',
      400,
      'MALFORMED_REQUEST',
      `${post}${close}${chunked}\r\n2\r\n${json}\r\n0\r\n\r\n`,
    ],
    ['with an invalid percent-encoding', 400, 'MALFORMED_REQUEST', get(`${echo}/%zz`)],
    ['with a lone percent sign', 400, 'MALFORMED_REQUEST', get('/%')],
    ['with a percent-encoding that is not UTF-8', 400, 'MALFORMED_REQUEST', get(`${echo}/%ff`)],
    ['with an id of 5,000 letters', 400, 'MALFORMED_REQUEST', get(`${echo}/${'a'.repeat(5000)}`)],
    ['with a path of 12,000 letters', 404, 'NOT_FOUND', get(`/${'a'.repeat(12_000)}`)],
    ['with raw UTF-8 in the path', 400, 'MALFORMED_REQUEST', Buffer.from(get('/é'))],
    ['for the whole server', 404, 'NOT_FOUND', `OPTIONS * HTTP/1.1\r\n${own}${close}\r\n`],
  ]
  for (const [name, status, code, ...parts] of scenarios)
    it(`a request ${name} gets ${status} ${code}`, async () => {
      const answers = await app.sendRaw(...parts)
      assert.equal(answers.length, 1)
      for (const answer of answers) {
        assert.equal(answer.status, status, answer.text)
        assertGeneralError(answer, code)
        assert.equal(answer.headers.connection, 'close')
      }
    })

  it('CONNECT is closed without an answer', async () => {
    assert.deepEqual(await app.sendRaw(`CONNECT example.com:443 HTTP/1.1\r\n${own}\r\n`), [])
  })

  it('a connection reset in the middle of a request leaves the server running', async () => {
    for (const part of ['GE', 'GET / HTTP/1.1\r\nHo', `${post}${sized}\r\n{`]) {
      const socket = connect(app.port, '127.0.0.1')
      await new Promise<void>((resolve) => socket.write(part, () => resolve()))
      socket.resetAndDestroy()
    }
    assert.equal((await app.send('GET /livez')).status, 200)
  })

  it('none of these requests was logged as a warning or error', () => {
    assert.deepEqual(
      app.logged.filter(({ level }) => level !== 'info' && level !== 'debug'),
      [],
    )
  })
})

describe('a request that takes too long to arrive', { concurrency: true }, async () => {
  const log = pino({ level: 'silent' })
  const options = { log, isHttps: false, trustedProxies: [] }
  const http = await openHttp({ ...options, requestTimeoutMs: 300 })
  http.post('/slow', { schema: { body: Type.Object({}) } }, async () => {
    await sleep(600)
    return { status: 'done' }
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  after(() => http.close())

  const head = 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const drip = Array.from('x'.repeat(20)).flatMap((one) => [one, 50])
  const scenarios: [name: string, ...parts: (string | number)[]][] = [
    ['whose headers stop', 'POST /slow HTTP/1.1\r\nHo'],
    ['whose headers arrive slowly', 'POST /slow HTTP/1.1\r\nA: ', ...drip],
    ['whose body stops', `${head}Content-Length: 10\r\n\r\n{`],
    ['whose body arrives slowly', `${head}Content-Length: 100\r\n\r\n`, ...drip],
    ['whose chunks stop', `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{`],
  ]
  for (const [name, ...parts] of scenarios)
    it(`a request ${name} gets 408`, async () => {
      const [answer] = await exchange(Number(new URL(url).port), parts)
      assert.equal(answer?.status, 408)
      assertGeneralError(answer, 'REQUEST_TIMEOUT')
    })

  it('an incomplete body does not keep the server from closing', async () => {
    const closing = await openHttp({ ...options, requestTimeoutMs: 1000 })
    closing.post('/', async () => ({}))
    const address = await closing.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head.replace('/slow', '/') + 'Content-Length: 10\r\n\r\n{')
    await once(closing.server, 'connection')
    await closing.close()
    socket.destroy()
  })

  it('a slow answer is no request timeout', async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/slow`, { method: 'POST', headers, body: '{}' })
    assert.equal(answer.status, 200)
  })
})
