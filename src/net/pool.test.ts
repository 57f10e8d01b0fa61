import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, LookupFunction, Socket } from 'node:net'
import { createServer } from 'node:net'
import { after, describe, it, mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { certificate, key } from '../../test/certificate.ts'
import type { ConnectionPool, PoolOptions } from './pool.ts'
import { openConnectionPool, openOriginPools } from './pool.ts'
import type { HttpRequest, RequestResult } from './request.ts'
import { sendRequest } from './request.ts'

type Behave = (socket: Socket, request: string, count: number) => unknown

const answered = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`

/** A server that does to each request what it is told, byte by byte. */
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

/** Every name is this machine's. */
const ipv4: LookupFunction = (_host, _options, done) =>
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

const told = (one: RequestResult) => (one.kind === 'answered' ? one.body : one.kind)

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !isSo(); tries += 1) await sleep(10)
}

describe('a connection', () => {
  it('is used again, the one that rested for the shortest time first', async () => {
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

  it('carries one request at a time, and no more are opened than allowed', async () => {
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
    assert.deepEqual(new Set((await Promise.all(all)).map(told)), new Set(['ok']))
    assert.deepEqual([raw.opened, raw.seen.length], [3, 50])
  })

  it('is closed when it rested for as long as it may', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin, { idleMs: 200 })
    await ask(pool, '/')
    assert.equal(raw.sockets.size, 1)
    await until(() => raw.sockets.size === 0)
    assert.deepEqual([raw.sockets.size, pool.isEmpty()], [0, true])
    assert.equal(told(await ask(pool, '/')), 'ok')
  })

  it('is not used again shortly before the other side closes it', async () => {
    // what the other side says, how many pool two requests in a row take
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
      for (const path of ['/a', '/b']) assert.equal(told(await ask(pool, path)), 'ok')
      assert.equal(raw.opened, opened, header)
    }
  })

  it('that rested for too long is not used even if nobody has swept', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin, { idleMs: 50 })
    await ask(pool, '/')
    // As if this process had stood still.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    assert.equal(told(await ask(pool, '/')), 'ok')
    assert.equal(raw.opened, 2)
  })

  it('that the other side closed while it rested is not used again', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin)
    await ask(pool, '/')
    for (const socket of raw.sockets) socket.end()
    await until(() => pool.isEmpty())
    assert.equal(told(await ask(pool, '/')), 'ok')
    assert.equal(raw.opened, 2)
  })
})

describe('an answer is for the request that it answers', () => {
  it('and not for the next, when two come for one', async () => {
    const raw = await openRaw((socket, _, count) =>
      socket.write(count === 1 ? answered('first') + answered('forged') : answered('second')),
    )
    const pool = open(raw.origin, { connectionsMax: 1 })
    // The second waits already when the first is answered.
    const both = await Promise.all(['/a', '/b'].map((path) => ask(pool, path)))
    assert.deepEqual(both.map(told), ['first', 'second'])
    assert.equal(raw.opened, 2)
  })

  it('and not for the next, when one comes before it was asked for', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const pool = open(raw.origin)
    await ask(pool, '/')
    for (const socket of raw.sockets) socket.write(answered('forged'))
    await until(() => pool.isEmpty())
    assert.deepEqual([told(await ask(pool, '/')), raw.opened], ['ok', 2])
  })

  it('and what is left of a long request does not become the next', async () => {
    const raw = await openRaw((socket, request) => {
      if (request.startsWith('POST')) {
        socket.pause()
        socket.write(answered('enough'))
      } else if (request.startsWith('GET')) socket.write(answered('next'))
    })
    const pool = open(raw.origin, { connectionsMax: 1 })
    const body = 'x'.repeat(30_000_000)
    const long = await ask(pool, '/', { method: 'POST', body })
    assert.deepEqual([told(long), told(await ask(pool, '/'))], ['enough', 'next'])
    assert.equal(raw.opened, 2)
  })
})

describe('an answer that does not say where it ends', () => {
  it('ends with its connection, and is lost when that breaks instead', async () => {
    const raw = await openRaw((socket, request) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nall of it')
      if (request.includes('/end')) socket.end()
      else setTimeout(() => socket.resetAndDestroy(), 30)
    })
    const pool = open(raw.origin)
    assert.equal(told(await ask(pool, '/end')), 'all of it')
    assert.equal(told(await ask(pool, '/break')), 'lost')
    assert.deepEqual([raw.opened, pool.isEmpty()], [2, true])
  })
})

describe('what waits for a connection', () => {
  it('gets one of its own when that of another breaks', async () => {
    const raw = await openRaw((socket, request) =>
      request.includes('/bad') ? socket.destroy() : socket.write(answered('ok')),
    )
    const pool = open(raw.origin, { connectionsMax: 1 })
    const paths = ['/bad', '/good', '/bad', '/bad', '/good']
    const all = await Promise.all(paths.map((path) => ask(pool, path)))
    assert.deepEqual(all.map(told), ['lost', 'ok', 'lost', 'lost', 'ok'])
    assert.equal(raw.seen.length, 5)
  })

  it('is passed over when nobody wants it any more', async () => {
    const raw = await openRaw((socket) => setTimeout(() => socket.write(answered('ok')), 150))
    const pool = open(raw.origin, { connectionsMax: 1 })
    const first = ask(pool, '/a')
    const late = Array.from({ length: 2000 }, () => ask(pool, '/late', { deadlineMs: 50 }))
    assert.deepEqual(new Set((await Promise.all(late)).map(told)), new Set(['not_sent']))
    assert.equal(told(await first), 'ok')
    assert.equal(told(await ask(pool, '/b')), 'ok')
    assert.deepEqual([raw.seen.length, raw.opened], [2, 1])
  })

  it('is passed over as well when nobody can be reached any more', async () => {
    let asked = 0
    const raw = await openRaw((socket) => setTimeout(() => socket.destroy(), 150))
    const lookup: LookupFunction = (host, options, done) => {
      asked += 1
      if (asked === 1) ipv4(host, options, done)
      else setImmediate(() => done(new Error('nowhere'), '', 0))
    }
    const origin = raw.origin.replace('127.0.0.1', 'shop.test')
    const pool = open(origin, { connectionsMax: 1, lookup })
    const first = ask(pool, '/a')
    const late = Array.from({ length: 20 }, () => ask(pool, '/late', { deadlineMs: 50 }))
    const last = ask(pool, '/b')
    assert.deepEqual(new Set((await Promise.all(late)).map(told)), new Set(['not_sent']))
    assert.deepEqual([told(await first), told(await last)], ['lost', 'not_sent'])
    // Whoever still wants to be sent is not kept waiting for those that do not.
    assert.equal(asked, 2)
  })

  it('ends at once when none can be opened for it', async () => {
    let isBroken = false
    const raw = await openRaw((socket) => setTimeout(() => socket.destroy(), 30))
    const lookup: LookupFunction = (...asked) => {
      if (isBroken) throw new Error('on purpose')
      ipv4(...asked)
    }
    const origin = raw.origin.replace('127.0.0.1', 'shop.test')
    const pool = open(origin, { connectionsMax: 1, lookup })
    const all = ['/a', '/b', '/c'].map((path) => ask(pool, path))
    isBroken = true
    assert.deepEqual((await Promise.all(all)).map(told), ['lost', 'not_sent', 'not_sent'])
    assert.ok(pool.isEmpty())
  })

  it('gets the connection that was opened for one that nobody wants any more', async () => {
    const raw = await openRaw((socket) => socket.write(answered('ok')))
    const lookup: LookupFunction = (...asked) => void setTimeout(() => ipv4(...asked), 100)
    const origin = raw.origin.replace('127.0.0.1', 'shop.test')
    const pool = open(origin, { connectionsMax: 1, lookup })
    const both = [ask(pool, '/a', { deadlineMs: 30 }), ask(pool, '/b', { deadlineMs: 5000 })]
    assert.deepEqual((await Promise.all(both)).map(told), ['not_sent', 'ok'])
    assert.deepEqual([raw.seen.length, raw.opened], [1, 1])
  })

  it('ends when the pool are closed: sent or not, as it was', async () => {
    const raw = await openRaw(() => {})
    const pool = open(raw.origin, { connectionsMax: 1 })
    const both = Promise.all(['/a', '/b'].map((path) => ask(pool, path)))
    await until(() => raw.seen.length === 1)
    pool.close()
    assert.deepEqual((await both).map(told), ['lost', 'not_sent'])
    assert.ok(pool.isEmpty())
    assert.equal(told(await ask(pool, '/c')), 'not_sent')
  })

  it('is not sent when nobody takes the connection within 3 s', async () => {
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
  const connectedTo: { isReused: boolean; name: unknown; protocol: unknown }[] = []
  const server = createSecureServer(
    { key, cert: certificate, ALPNProtocols: ['h2', 'http/1.1'] },
    (request, response) => {
      const socket = request.socket as TLSSocket
      const name = (socket as { servername?: unknown }).servername
      connectedTo.push({ isReused: socket.isSessionReused(), name, protocol: socket.alpnProtocol })
      response.setHeader('connection', 'close').end('x'.repeat(200_000))
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const known = getCACertificates('default')

  it('it asks by name, in this version of HTTP, and takes a session up again', async () => {
    setDefaultCACertificates([...known, certificate])
    const pool = open(`https://localhost:${port}`)
    for (let count = 0; count < 3; count += 1) {
      const result = await ask(pool, '/', { bodyBytesMax: 1_000_000 })
      assert.equal(told(result).length, 200_000, JSON.stringify(result).slice(0, 300))
    }
    setDefaultCACertificates(known)
    const ours = { name: 'localhost', protocol: 'http/1.1' }
    assert.deepEqual(connectedTo.splice(0), [
      { ...ours, isReused: false },
      { ...ours, isReused: true },
      { ...ours, isReused: true },
    ])
  })

  it('it sends nothing to whom nobody vouches for, or who is somebody else', async () => {
    const unknown = await ask(open(`https://localhost:${port}`), '/')
    setDefaultCACertificates([...known, certificate])
    const other = await ask(open(`https://other.test:${port}`, { lookup: ipv4 }), '/')
    setDefaultCACertificates(known)
    const codes = [unknown, other].map((one) => [
      one.kind,
      one.kind === 'not_sent' && (one.problem as { code?: string }).code,
    ])
    assert.deepEqual(codes, [
      ['not_sent', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['not_sent', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ])
    assert.deepEqual(connectedTo, [])
  })
})

describe('a way out', () => {
  it('has the same pool for the same origin, and forgets those it has none to', async () => {
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
    assert.equal(told(await ask(kept, '/')), 'not_sent')
  })
})
