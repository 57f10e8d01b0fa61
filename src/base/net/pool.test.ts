import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net'
import { after, describe, it, mock } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { certificate, key } from '#test/certificate.ts'
import { eventually } from '#test/wait.ts'
import {
  type ConnectionPool,
  openConnectionPool,
  openOriginPools,
  type PoolOptions,
} from './pool.ts'
import { type HttpRequest, type RequestResult, sendRequest } from './request.ts'

type Behave = (socket: Socket, request: string, count: number) => unknown

const answered = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`

/** A TCP server that answers each request with the bytes it is bodyOrKind to. */
async function openRaw(behave: Behave) {
  const sockets = new Set<Socket>()
  const raw = { origin: '', seen: [] as string[], sockets, opened: 0 }
  const server = createServer((socket) => {
    raw.opened += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (data) => {
      raw.seen.push(String(data))
      behave(socket, String(data), raw.seen.length)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    sockets.forEach((socket) => void socket.destroy())
    server.close()
  })
  raw.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return raw
}

function open(origin: string, change: Partial<PoolOptions> = {}): ConnectionPool {
  const pool = openConnectionPool(origin, { connectionsMax: 4, idleMs: 60_000, ...change })
  after(() => pool.close())
  return pool
}

/** Resolves every host to this machine. */
const toLoopback: LookupFunction = (_host, _options, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])

const limits = {
  deadlineMs: 20_000,
  bodyBytesMax: 65_536,
  whenTooLong: 'lost',
  headers: {},
} as const

function ask(pool: ConnectionPool, path: string, change: Partial<HttpRequest> = {}) {
  return sendRequest(pool, { method: 'GET', path, ...limits, ...change })
}

const bodyOrKind = (one: RequestResult) => (one.kind === 'answered' ? one.body : one.kind)

const until = (isSo: () => boolean) => eventually(String(isSo), isSo)

describe('a connection', () => {
  it('is reused, the one that was used last first', async () => {
    const raw = await openRaw((socket, request) =>
      setTimeout(() => socket.write(answered('ok')), request.includes('/slow') ? 60 : 5),
    )
    const pool = open(raw.origin)
    assert.ok(pool.isEmpty())
    await Promise.all(['/slow', '/b', '/c'].map((path) => ask(pool, path)))
    const [first] = raw.sockets
    const came: unknown[] = []
    for (const socket of raw.sockets) socket.on('data', () => came.push(socket))
    for (let count = 0; count < 5; count += 1) await ask(pool, '/next')
    assert.deepEqual([raw.opened, pool.isEmpty()], [3, false])
    assert.ok(came.length === 5 && came.every((one) => one === first))
  })

  it('carries one request at a time, and no more than connectionsMax are opened', async () => {
    const busy = new Set<Socket>()
    const raw = await openRaw((socket) => {
      assert.ok(!busy.has(socket), 'two at a time')
      busy.add(socket)
      setTimeout(() => {
        busy.delete(socket)
        socket.write(answered('ok'))
      }, 5)
    })
    const pool = open(raw.origin, { connectionsMax: 3 })
    const all = Array.from({ length: 50 }, (_, index) => ask(pool, `/${index}`))
    assert.deepEqual(new Set((await Promise.all(all)).map(bodyOrKind)), new Set(['ok']))
    assert.deepEqual([raw.opened, raw.seen.length], [3, 50])
  })

  it('is closed after idleMs without a request', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin, { idleMs: 200 })
    await ask(pool, '/')
    assert.equal(raw.sockets.size, 1)
    await until(() => raw.sockets.size === 0)
    assert.deepEqual([raw.sockets.size, pool.isEmpty()], [0, true])
    assert.equal(bodyOrKind(await ask(pool, '/')), 'ok')
  })

  it('is not reused when the keep-alive of the server ends within two seconds', async () => {
    // the header of the server, how many connections two requests in a row take
    const scenarios: [string, number][] = [
      ['keep-alive: timeout=1\r\n', 2],
      ['Keep-Alive: timeout=2, max=9\r\n', 2],
      ['keep-alive: timeout=5\r\n', 1],
      ['keep-alive: forever\r\n', 1],
      ['connection: close\r\n', 2],
    ]
    for (const [header, opened] of scenarios) {
      const raw = await openRaw((socket) => socket.write(answered('ok', header)))
      const pool = open(raw.origin)
      for (const path of ['/a', '/b']) assert.equal(bodyOrKind(await ask(pool, path)), 'ok')
      assert.equal(raw.opened, opened, header)
    }
  })

  it('that was idle for too long is not reused even before the sweep', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin, { idleMs: 50 })
    await ask(pool, '/')
    // Blocks the event loop.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    assert.equal(bodyOrKind(await ask(pool, '/')), 'ok')
    assert.equal(raw.opened, 2)
  })

  it('that the server closed while it was idle is not reused', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin)
    await ask(pool, '/')
    for (const socket of raw.sockets) socket.end()
    await until(() => pool.isEmpty())
    assert.equal(bodyOrKind(await ask(pool, '/')), 'ok')
    assert.equal(raw.opened, 2)
  })
})

describe('a response is never given to another request', () => {
  it('when the server sends two responses to one request', async () => {
    const raw = await openRaw((socket, _, count) =>
      socket.write(count === 1 ? answered('first') + answered('forged') : answered('second')),
    )
    const pool = open(raw.origin, { connectionsMax: 1 })
    // The second request is in the queue when the first response comes.
    const both = await Promise.all(['/a', '/b'].map((path) => ask(pool, path)))
    assert.deepEqual(both.map(bodyOrKind), ['first', 'second'])
    assert.equal(raw.opened, 2)
  })

  it('when the server sends a response to an idle connection', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin)
    await ask(pool, '/')
    for (const socket of raw.sockets) socket.write(answered('forged'))
    await until(() => pool.isEmpty())
    assert.deepEqual([bodyOrKind(await ask(pool, '/')), raw.opened], ['ok', 2])
  })

  it('when the response comes before the whole request was written', async () => {
    const raw = await openRaw((socket, request) => {
      if (request.startsWith('POST')) {
        socket.pause()
        socket.write(answered('enough'))
      } else if (request.startsWith('GET')) socket.write(answered('next'))
    })
    const pool = open(raw.origin, { connectionsMax: 1 })
    const body = 'x'.repeat(30_000_000)
    const long = await ask(pool, '/', { method: 'POST', body })
    assert.deepEqual([bodyOrKind(long), bodyOrKind(await ask(pool, '/'))], ['enough', 'next'])
    assert.equal(raw.opened, 2)
  })
})

describe('a response without a length', () => {
  it('ends when the connection is closed, and is lost when it is reset', async () => {
    const raw = await openRaw((socket, request) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nall of it')
      if (request.includes('/end')) socket.end()
      else setTimeout(() => socket.resetAndDestroy(), 30)
    })
    const pool = open(raw.origin)
    assert.equal(bodyOrKind(await ask(pool, '/end')), 'all of it')
    assert.equal(bodyOrKind(await ask(pool, '/break')), 'lost')
    assert.deepEqual([raw.opened, pool.isEmpty()], [2, true])
  })
})

describe('a request in the queue', () => {
  it('gets a new connection when the busy one breaks', async () => {
    const raw = await openRaw((socket, request) =>
      request.includes('/bad') ? socket.destroy() : socket.write(answered('ok')),
    )
    const pool = open(raw.origin, { connectionsMax: 1 })
    const paths = ['/bad', '/good', '/bad', '/bad', '/good']
    const all = await Promise.all(paths.map((path) => ask(pool, path)))
    assert.deepEqual(all.map(bodyOrKind), ['lost', 'ok', 'lost', 'lost', 'ok'])
    assert.equal(raw.seen.length, 5)
  })

  it('is skipped by a free connection once its deadline has passed', async () => {
    const isLate = Promise.withResolvers<void>()
    const raw = await openRaw((socket) => isLate.promise.then(() => socket.write(answered('ok'))))
    const pool = open(raw.origin, { connectionsMax: 1 })
    const first = ask(pool, '/a')
    const late = Array.from({ length: 2000 }, () => ask(pool, '/late', { deadlineMs: 50 }))
    assert.deepEqual(new Set((await Promise.all(late)).map(bodyOrKind)), new Set(['not_sent']))
    isLate.resolve()
    assert.equal(bodyOrKind(await first), 'ok')
    assert.equal(bodyOrKind(await ask(pool, '/b')), 'ok')
    assert.deepEqual([raw.seen.length, raw.opened], [2, 1])
  })

  it('gets no new connection once its deadline has passed', async () => {
    let asked = 0
    const isLate = Promise.withResolvers<void>()
    const raw = await openRaw((socket) => isLate.promise.then(() => socket.destroy()))
    const lookup: LookupFunction = (host, options, done) => {
      asked += 1
      if (asked === 1) toLoopback(host, options, done)
      else setImmediate(() => done(new Error('nowhere'), '', 0))
    }
    const origin = raw.origin.replace('127.0.0.1', 'shop.test')
    const pool = open(origin, { connectionsMax: 1, lookup })
    const first = ask(pool, '/a')
    const late = Array.from({ length: 20 }, () => ask(pool, '/late', { deadlineMs: 50 }))
    const last = ask(pool, '/b')
    assert.deepEqual(new Set((await Promise.all(late)).map(bodyOrKind)), new Set(['not_sent']))
    isLate.resolve()
    assert.deepEqual([bodyOrKind(await first), bodyOrKind(await last)], ['lost', 'not_sent'])
    // Only the last request, which is still pending, has opened another connection.
    assert.equal(asked, 2)
  })

  it('fails at once when opening a connection throws', async () => {
    let isBroken = false
    const raw = await openRaw((socket) => setTimeout(() => socket.destroy(), 30))
    const lookup: LookupFunction = (...asked) => {
      if (isBroken) throw new Error('on purpose')
      toLoopback(...asked)
    }
    const origin = raw.origin.replace('127.0.0.1', 'shop.test')
    const pool = open(origin, { connectionsMax: 1, lookup })
    const all = ['/a', '/b', '/c'].map((path) => ask(pool, path))
    isBroken = true
    assert.deepEqual((await Promise.all(all)).map(bodyOrKind), ['lost', 'not_sent', 'not_sent'])
    assert.ok(pool.isEmpty())
  })

  it('gets the connection that was opened for a request whose deadline passed', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const lookup: LookupFunction = (...asked) => void setTimeout(() => toLoopback(...asked), 100)
    const origin = raw.origin.replace('127.0.0.1', 'shop.test')
    const pool = open(origin, { connectionsMax: 1, lookup })
    const both = [ask(pool, '/a', { deadlineMs: 30 }), ask(pool, '/b', { deadlineMs: 5000 })]
    assert.deepEqual((await Promise.all(both)).map(bodyOrKind), ['not_sent', 'ok'])
    assert.deepEqual([raw.seen.length, raw.opened], [1, 1])
  })

  it('is not sent when the pool closes, while one under way is lost', async () => {
    const raw = await openRaw(() => {})
    const pool = open(raw.origin, { connectionsMax: 1 })
    const both = Promise.all(['/a', '/b'].map((path) => ask(pool, path)))
    await until(() => raw.seen.length === 1)
    pool.close()
    assert.deepEqual((await both).map(bodyOrKind), ['lost', 'not_sent'])
    assert.ok(pool.isEmpty())
    assert.equal(bodyOrKind(await ask(pool, '/c')), 'not_sent')
  })

  it('is not sent when no connection opens within 3 s', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const pool = open('http://shop.test', { lookup: () => {} })
    const asked = ask(pool, '/')
    mock.timers.tick(2999)
    await new Promise(setImmediate)
    assert.ok(!pool.isEmpty())
    mock.timers.tick(1)
    const result = await asked
    mock.timers.reset()
    assert.ok(result.kind === 'not_sent')
    assert.match(result.problem.message, /no connection within 3000 ms/)
    assert.ok(pool.isEmpty())
  })
})

describe('over TLS', async () => {
  const requestsSeen: { isReused: boolean; name: unknown; protocol: unknown }[] = []
  const server = createSecureServer(
    { key, cert: certificate, ALPNProtocols: ['h2', 'http/1.1'] },
    (request, response) => {
      const socket = request.socket as TLSSocket
      const name = (socket as { servername?: unknown }).servername
      requestsSeen.push({ isReused: socket.isSessionReused(), name, protocol: socket.alpnProtocol })
      response.setHeader('connection', 'close').end('x'.repeat(200_000))
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const known = getCACertificates('default')

  it('a connection sends the server name, asks for HTTP/1.1, and resumes the session', async () => {
    setDefaultCACertificates([...known, certificate])
    const pool = open(`https://localhost:${port}`, { lookup: toLoopback })
    for (let count = 0; count < 3; count += 1) {
      const result = await ask(pool, '/', { bodyBytesMax: 1_000_000 })
      assert.equal(bodyOrKind(result).length, 200_000, JSON.stringify(result).slice(0, 300))
    }
    setDefaultCACertificates(known)
    const ours = { name: 'localhost', protocol: 'http/1.1' }
    assert.deepEqual(requestsSeen.splice(0), [
      { ...ours, isReused: false },
      { ...ours, isReused: true },
      { ...ours, isReused: true },
    ])
  })

  it('nothing is sent to an untrusted certificate, or to one for another host', async () => {
    const unknown = await ask(open(`https://localhost:${port}`, { lookup: toLoopback }), '/')
    setDefaultCACertificates([...known, certificate])
    const other = await ask(open(`https://other.test:${port}`, { lookup: toLoopback }), '/')
    setDefaultCACertificates(known)
    const codes = [unknown, other].map((one) => [
      one.kind,
      one.kind === 'not_sent' && (one.problem as { code?: string }).code,
    ])
    assert.deepEqual(codes, [
      ['not_sent', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['not_sent', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ])
    assert.deepEqual(requestsSeen, [])
  })
})

describe('origin pools', () => {
  it('keep one pool for each origin, and drop empty pools beyond 1,000 origins', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pools = openOriginPools({ connectionsMax: 1, idleMs: 60_000 })
    await ask(pools.poolOf(raw.origin), '/')
    const kept = pools.poolOf(raw.origin)
    const forgotten = pools.poolOf('http://shop-0.test')
    assert.equal(pools.poolOf('http://shop-0.test'), forgotten)
    for (let count = 1; count <= 1000; count += 1) pools.poolOf(`http://shop-${count}.test`)
    assert.notEqual(pools.poolOf('http://shop-0.test'), forgotten)
    assert.equal(pools.poolOf(raw.origin), kept)
    pools.close()
    assert.equal(bodyOrKind(await ask(kept, '/')), 'not_sent')
  })
})
