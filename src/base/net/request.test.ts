import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, beforeEach, describe, it, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { fakeTime } from '#test/fake-time.ts'
import { openConnectionPool } from './pool.ts'
import { DeadlineExceeded, type HttpRequest, sendRequest } from './request.ts'

type Act = (response: ServerResponse, request: IncomingMessage) => unknown

/** A server that reads each request to its end, records its path and body, and then acts. */
async function openServer(act: Act) {
  const seen: string[] = []
  const server = createServer((request, response) => void take(request, response))
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const part of request) body += String(part)
    seen.push(`${request.url} ${body}`.trim())
    act(response, request)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  after(close)
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connections = () =>
    new Promise<number>((done) => void server.getConnections((_, count) => done(count)))
  return { origin, seen, close, connections }
}

const options: HttpRequest = {
  method: 'POST',
  path: '/order',
  headers: {},
  body: 'one',
  deadlineMs: 60_000,
  bodyBytesMax: 1000,
  whenTooLong: 'lost',
}

const open = (origin: string) => openConnectionPool(origin, { connectionsMax: 1, idleMs: 100 })

/** Sends one request to a server that acts like this; `passMs` pass once the server has it. */
async function sendTo(act: Act, change: Partial<HttpRequest> = {}, passMs = 0) {
  const server = await openServer(act)
  const time = passMs > 0 ? fakeTime() : undefined
  const sending = sendRequest(open(server.origin), { ...options, ...change })
  if (time !== undefined) await until(1, () => server.seen.length)
  await time?.pass(passMs)
  const result = await sending
  time?.restore()
  // An idle connection is closed after 100 ms: one that stays open has leaked.
  const connections = await until(0, server.connections)
  server.close()
  return { result, seen: server.seen, connections }
}

/** Polls until the count is reached, for a minute at most; returns the last count. */
async function until(count: number, read: () => number | Promise<number>): Promise<number> {
  for (let tries = 0; tries < 6000 && (await read()) !== count; tries += 1) await sleep(10)
  return read()
}

const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length

// Deadlines that must not pass are a minute long: a timer that was not cleared would be seen.
let timersBefore = 0
beforeEach(() => {
  timersBefore = timers()
})
afterEach(async () => {
  assert.equal(await until(timersBefore, timers), timersBefore, 'a timer was left behind')
})

describe('a response', () => {
  const long = 'é'.repeat(500)
  // name, what the server does, the status and body of the result
  const scenarios: [string, Act, number, string][] = [
    ['without a body', (response) => response.writeHead(204).end(), 204, ''],
    ['that is an error', (response) => response.writeHead(503).end('busy'), 503, 'busy'],
    ['as long as allowed', (response) => response.end(long), 200, long],
    ['in pieces that cut a character', (response) => inPieces(response), 200, 'é€'],
    [
      'after an early hint',
      (response) => {
        response.writeEarlyHints({ link: '</a>; rel=preload' })
        response.writeHead(201).end('done')
      },
      201,
      'done',
    ],
  ]
  for (const [name, act, status, body] of scenarios)
    it(`${name} is returned whole`, async () => {
      const { result, seen, connections } = await sendTo(act)
      assert.ok(result.kind === 'answered', String(Object.values(result)))
      assert.deepEqual([result.status, result.body], [status, body])
      assert.ok(result.headers.date)
      assert.equal(result.headers.link, undefined)
      assert.deepEqual([seen, connections], [['/order one'], 0])
    })
})

async function inPieces(response: ServerResponse): Promise<void> {
  for (const byte of Buffer.from('é€')) {
    response.write(Buffer.of(byte))
    await sleep(5)
  }
  response.end()
}

describe('a request whose response breaks off', () => {
  const started = (response: ServerResponse) =>
    response.writeHead(202, { 'retry-after': '7', 'content-length': 9 }).write('half')
  // name, what the server does, the deadline, status and retry-after received, the problem
  const scenarios: [string, Act, number, [number | null, string | undefined], RegExp][] = [
    ['by the deadline before the headers', () => {}, 400, [null, undefined], /^no answer within/],
    ['by the deadline in the body', started, 400, [202, '7'], /^no answer within 400 ms$/],
    [
      'by a socket closed after the request was read',
      (response) => response.destroy(),
      60_000,
      [null, undefined],
      /closed/,
    ],
    [
      'by a socket closed in the body',
      (response) => {
        started(response)
        setTimeout(() => response.destroy(), 30)
      },
      60_000,
      [202, '7'],
      /closed|terminated/,
    ],
  ]
  for (const [name, act, deadlineMs, said, problem] of scenarios)
    it(`is lost ${name}`, async () => {
      const isLate = deadlineMs === 400
      const { result, seen, connections } = await sendTo(act, { deadlineMs }, isLate ? 400 : 0)
      assert.ok(result.kind === 'lost', result.kind)
      assert.deepEqual([result.status, result.headers['retry-after']], said)
      assert.match(result.problem.message, problem)
      assert.equal(result.problem instanceof DeadlineExceeded, isLate)
      assert.deepEqual([seen, connections], [['/order one'], 0])
    })

  it('is lost on a reused connection too, and is not sent again', async () => {
    const server = await openServer((response, { url, socket }) =>
      url === '/b' ? socket.destroy() : response.end('ok'),
    )
    const connections = open(server.origin)
    const get: HttpRequest = { ...options, method: 'GET', body: undefined }
    const kinds = []
    for (const path of ['/a', '/b', '/c'])
      kinds.push((await sendRequest(connections, { ...get, path })).kind)
    assert.deepEqual(kinds, ['answered', 'lost', 'answered'])
    assert.deepEqual(server.seen, ['/a', '/b', '/c'])
    connections.close()
  })
})

describe('a response longer than allowed', () => {
  // Ends only when the client closes the connection.
  const endless = (response: ServerResponse) => {
    response.writeHead(200, { 'x-a': 'b' })
    const timer = setInterval(() => response.write('x'.repeat(300)), 1)
    response.on('close', () => clearInterval(timer))
  }
  const once = (response: ServerResponse) => response.end('x'.repeat(1001))

  for (const [name, act] of [['in one piece', once] as const, ['without end', endless] as const]) {
    it(`${name} counts as lost, and is read no further`, async () => {
      const { result, seen, connections } = await sendTo(act, { whenTooLong: 'lost' })
      assert.ok(result.kind === 'lost', result.kind)
      assert.deepEqual(
        [result.status, result.problem.message],
        [200, 'answer larger than 1000 bytes'],
      )
      assert.deepEqual([seen, connections], [['/order one'], 0])
    })

    it(`${name} is truncated when the request says so, and read no further`, async () => {
      const { result, seen, connections } = await sendTo(act, { whenTooLong: 'truncate' })
      assert.ok(result.kind === 'answered', result.kind)
      assert.deepEqual([result.status, result.body], [200, 'x'.repeat(1000)])
      assert.deepEqual([seen, connections], [['/order one'], 0])
    })
  }

  it('does not block the next request', async () => {
    const server = await openServer((response, { url }) =>
      url === '/long' ? endless(response) : response.end('ok'),
    )
    const connections = open(server.origin)
    for (const whenTooLong of ['lost', 'truncate'] as const) {
      await sendRequest(connections, { ...options, path: '/long', whenTooLong })
      const next = await sendRequest(connections, options)
      assert.deepEqual(next.kind === 'answered' && next.body, 'ok')
    }
    connections.close()
  })
})

describe('a request that cannot leave', () => {
  const ok = (response: ServerResponse) => response.end('ok')
  const notSent = { kind: 'not_sent', status: null, headers: {} }

  const invalid: [string, Partial<HttpRequest>][] = [
    ['a line break in a header value', { headers: { a: 'b\r\nc: d' } }],
    ['a space in a header name', { headers: { 'a b': 'c' } }],
    ['a header value beyond ASCII', { headers: { a: 'é' } }],
    ['a content-length of the caller', { headers: { 'content-length': '99' } }],
    ['a transfer-encoding of the caller', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a host of the caller', { headers: { HOST: 'elsewhere' } }],
    ['a space in its path', { path: '/a b' }],
    ['a line break in its path', { path: '/a\r\nb: c' }],
    ['a path that begins without a slash', { path: 'a' }],
    ['a path beyond ASCII', { path: '/é' }],
  ]
  for (const [name, change] of invalid)
    it(`is not sent: ${name}`, async () => {
      const { result, seen } = await sendTo(ok, change)
      assert.partialDeepStrictEqual(result, notSent)
      assert.deepEqual(seen, [])
    })

  it('is not sent when the connection is refused', async () => {
    const server = await openServer(ok)
    server.close()
    const result = await sendRequest(open(server.origin), options)
    assert.partialDeepStrictEqual(result, notSent)
    assert.match(result.kind === 'not_sent' ? result.problem.message : '', /ECONNREFUSED/)
  })

  it('is not sent when no connection opens before its deadline', async () => {
    const never = { connectionsMax: 1, idleMs: 100, lookup: () => {} }
    const connections = openConnectionPool('http://shop.test', never)
    const result = await sendRequest(connections, { ...options, deadlineMs: 30 })
    connections.close()
    assert.partialDeepStrictEqual(result, notSent)
    assert.ok(result.kind === 'not_sent' && result.problem instanceof DeadlineExceeded)
  })

  it('is not sent when opening a connection throws', async () => {
    const problem = new Error('on purpose')
    const lookup = () => {
      throw problem
    }
    const connections = openConnectionPool('http://a.test', {
      connectionsMax: 1,
      idleMs: 9,
      lookup,
    })
    assert.deepEqual(await sendRequest(connections, options), { ...notSent, problem })
  })

  it('is not sent when the pool is closed', async () => {
    const server = await openServer(ok)
    const connections = open(server.origin)
    connections.close()
    assert.partialDeepStrictEqual(await sendRequest(connections, options), notSent)
    assert.deepEqual(server.seen, [])
  })
})

test('a request has a host, its own headers, and the length of its body in bytes', async () => {
  const server = await openServer((response, { method, rawHeaders }) =>
    response.end(JSON.stringify([method, rawHeaders])),
  )
  const connections = open(server.origin)
  const ask = async (change: Partial<HttpRequest>) => {
    const result = await sendRequest(connections, { ...options, ...change })
    return result.kind === 'answered' && JSON.parse(result.body)
  }
  const host = new URL(server.origin).host
  const usual = ['host', host, 'connection', 'keep-alive']
  assert.deepEqual(await ask({ body: 'é€', headers: { 'X-A': 'b' } }), [
    'POST',
    [...usual, 'X-A', 'b', 'content-length', '5'],
  ])
  assert.deepEqual(await ask({ body: '' }), ['POST', [...usual, 'content-length', '0']])
  assert.deepEqual(await ask({ method: 'GET', body: undefined }), ['GET', usual])
  assert.deepEqual(server.seen, ['/order é€', '/order', '/order'])
  connections.close()
})

test('a response that came while the event loop was blocked past the deadline counts', async () => {
  const [isReceived, isBlocked, isAnswered] = [0, 1, 2].map(
    () => new Int32Array(new SharedArrayBuffer(4)),
  ) as [Int32Array, Int32Array, Int32Array]
  const provider = new Worker(
    `const { createServer } = require('node:http')
    const { parentPort, workerData } = require('node:worker_threads')
    const { isReceived, isBlocked, isAnswered } = workerData
    const server = createServer((request, response) => {
      if (request.method !== 'PUT') return response.end()
      Atomics.store(isReceived, 0, 1)
      Atomics.wait(isBlocked, 0, 0)
      response.end('taken', () => {
        Atomics.store(isAnswered, 0, 1)
        Atomics.notify(isAnswered, 0)
      })
    })
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
    { eval: true, workerData: { isReceived, isBlocked, isAnswered } },
  )
  const [port] = (await once(provider, 'message')) as [number]
  const connections = open(`http://127.0.0.1:${port}`)
  // Opens the connection, so that the next request leaves at once.
  assert.equal((await sendRequest(connections, options)).kind, 'answered')
  const time = fakeTime()
  const sent = sendRequest(connections, { ...options, method: 'PUT', deadlineMs: 200 })
  while (Atomics.load(isReceived, 0) === 0) await turn()
  // Blocks until the response is there, unread, and the deadline has passed.
  Atomics.store(isBlocked, 0, 1)
  Atomics.notify(isBlocked, 0)
  Atomics.wait(isAnswered, 0, 0)
  time.jump(200)
  time.restore()
  const result = await sent
  assert.equal(result.kind === 'answered' && result.body, 'taken')
  connections.close()
  await provider.terminate()
})
