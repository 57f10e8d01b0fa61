import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { openGuardedPools } from '#base/net/guard.ts'
import { certificate, key } from '#test/certificate.ts'
import { fakeTime } from '#test/fake-time.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import { type SendResult, sendWebhook } from './send.ts'

// Timers of this process stand still, but not those imported by name: `sleep` is of real time.
const time = fakeTime()
const pools = openGuardedPools('sandbox')
after(() => pools.close())
const send = (url: string, owner = '1') =>
  sendWebhook({ pools, owner, mode: 'sandbox', url, headers: {}, body: '{"id":"1"}' })

/** A TCP server that treats each connection with `behave`. */
async function openRaw(behave: (socket: Socket) => unknown): Promise<{ url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => void behave(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    sockets.forEach((socket) => void socket.destroy())
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

let drips = 0

async function drip(socket: Socket, text: () => string): Promise<void> {
  while (!socket.destroyed) {
    socket.write(text())
    drips += 1
    await sleep(5)
  }
}

const ok = 'HTTP/1.1 200 OK\r\n'
const endless = `${ok}content-length: 104857600\r\n\r\n`
const failed = 'HTTP/1.1 500 No\r\ncontent-length: 104857600\r\n\r\n'
let sentBytes = 0

/** Writes 100 MB as fast as they are read, and counts the bytes. */
async function flood(socket: Socket, head: string): Promise<void> {
  socket.write(head)
  const part = Buffer.alloc(65_536, 'x')
  const closed = new AbortController()
  socket.on('close', () => closed.abort())
  for (let bytes = 0; bytes < 104_857_600 && !socket.destroyed; bytes += part.length) {
    sentBytes += part.length
    if (!socket.write(part)) await once(socket, 'drain', { signal: closed.signal }).catch(() => {})
  }
}

let headers = 0
const nextHeader = () => {
  headers += 1
  return `x-${headers}: drip\r\n`
}

type Hostile = [
  name: string,
  behave: (socket: Socket) => unknown,
  expected: { status: number | null; problem: RegExp | null; endsBy: Ending },
]

// Whether sending ends without any time passing, or when its time is over.
type Ending = 'itself' | 'deadline' | 'either'

const slow = { problem: /within 10 s/, endsBy: 'deadline' } as const
const none = { status: null, ...slow }
const hostile: Hostile[] = [
  ['never answers', () => {}, none],
  [
    'drips the status line',
    (socket) => drip(socket, () => 'H'),
    { ...none, problem: /./, endsBy: 'either' },
  ],
  [
    'drips headers',
    (socket) => {
      socket.write(ok)
      return drip(socket, nextHeader)
    },
    none,
  ],
  [
    'drips the body of a failure',
    (socket) => {
      socket.write(failed)
      return drip(socket, () => 'x')
    },
    { status: 500, ...slow },
  ],
  [
    'says 200 and drips the body',
    (socket) => {
      socket.write(endless)
      return drip(socket, () => 'x')
    },
    { status: 200, problem: null, endsBy: 'deadline' },
  ],
  [
    'drips chunks',
    (socket) => {
      socket.write('HTTP/1.1 404 No\r\ntransfer-encoding: chunked\r\n\r\n')
      return drip(socket, () => '1\r\nx\r\n')
    },
    { status: 404, ...slow },
  ],
  [
    'says 100 Continue for ever',
    (socket) => drip(socket, () => 'HTTP/1.1 100 Continue\r\n\r\n'),
    { ...none, problem: /./, endsBy: 'either' },
  ],
  [
    'resets',
    (socket) => socket.resetAndDestroy(),
    { status: null, problem: /./, endsBy: 'itself' },
  ],
  [
    'resets within the headers',
    (socket) => socket.write(`${ok}x: `, () => socket.resetAndDestroy()),
    { status: null, problem: /./, endsBy: 'itself' },
  ],
  [
    'resets within the body of a failure',
    (socket) =>
      socket.write(`${failed}xxx`, () => void sleep(5).then(() => socket.resetAndDestroy())),
    { status: 500, problem: /./, endsBy: 'itself' },
  ],
  ['closes', (socket) => socket.end(), { status: null, problem: /./, endsBy: 'itself' }],
  [
    'speaks another protocol',
    (socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'),
    { status: null, problem: /./, endsBy: 'itself' },
  ],
  [
    'sends headers without end',
    (socket) => socket.write(`${ok}x: ${'y'.repeat(1_000_000)}\r\n\r\n`),
    { status: null, problem: /./, endsBy: 'itself' },
  ],
  [
    'breaks off its chunks',
    (socket) => socket.end(`HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`),
    { status: null, problem: /./, endsBy: 'itself' },
  ],
  // Two parsers could disagree on where these answers end: they are none (decision 26).
  [
    'says 200 with two lengths',
    (socket) => socket.write(`${ok}content-length: 0\r\ncontent-length: 5\r\n\r\n`),
    { status: null, problem: /length/, endsBy: 'itself' },
  ],
  [
    'says 200 with a length and chunks',
    (socket) =>
      socket.write(`${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    { status: null, problem: /of unknown length/, endsBy: 'itself' },
  ],
  [
    'says 200 with wrong chunks',
    (socket) => socket.write(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    { status: null, problem: /chunk/, endsBy: 'itself' },
  ],
  [
    'says 410 with two lengths',
    (socket) => socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 0, 1\r\n\r\n'),
    { status: null, problem: /length/, endsBy: 'itself' },
  ],
  [
    'says 200 and breaks off within the body',
    (socket) => socket.write(`${endless}xxx`, () => void sleep(5).then(() => socket.destroy())),
    { status: 200, problem: null, endsBy: 'itself' },
  ],
  [
    'switches protocols',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    { status: null, problem: /./, endsBy: 'either' },
  ],
]

describe('hostile receivers of webhooks', () => {
  for (const [name, behave, expected] of hostile)
    it(`sending ends in time when the receiver ${name}`, async () => {
      const asked = Promise.withResolvers<void>()
      drips = 0
      const { url } = await openRaw((socket) => {
        asked.resolve()
        return behave(socket)
      })
      const sending = send(url)
      if (expected.endsBy !== 'itself') {
        await asked.promise
        const isDripping = name.includes('drips')
        if (isDripping && expected.endsBy === 'deadline')
          await eventually('it drips', () => drips > 3)
        time.jump(9999)
        await turn()
        time.jump(1)
      }
      const { status, problem, durationMs }: SendResult = await sending
      assert.equal(status, expected.status)
      if (expected.problem === null) assert.equal(problem, null)
      else assert.match(problem ?? '', expected.problem)
      if (expected.endsBy === 'itself') assert.equal(durationMs, 0)
      if (expected.endsBy === 'deadline') assert.equal(durationMs, 10_000)
    })

  it('a redirect is not followed', async () => {
    const receiver = await openReceiver((_got, response) =>
      response.writeHead(302, { location: receiver.url }).end(),
    )
    const { status } = await send(receiver.url)
    assert.deepEqual([status, receiver.got.length], [302, 1])
  })

  it('a port where nothing listens is reported at once', async () => {
    const receiver = await openReceiver()
    receiver.close()
    const { status, problem, durationMs } = await send(receiver.url)
    assert.deepEqual([status, problem], [null, 'ECONNREFUSED'])
    assert.equal(durationMs, 0)
  })

  it('a self-signed certificate is refused, and nothing is sent', async () => {
    let requests = 0
    const server = createSecureServer({ key, cert: certificate }, (_request, response) => {
      requests += 1
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    for (const host of ['localhost', '127.0.0.1']) {
      const { status, problem } = await send(`https://${host}:${port}/`)
      assert.equal(status, null)
      assert.match(problem ?? '', /SELF_SIGNED|CERT|UNABLE_TO_VERIFY/)
    }
    assert.equal(requests, 0)
  })

  it('an HTTPS address whose server speaks HTTP, or nothing, gives no status in time', async () => {
    const { url } = await openRaw((socket) => socket.end(`${ok}\r\n`))
    const plain = await send(url.replace('http:', 'https:'))
    assert.equal(plain.status, null)
    assert.equal(plain.durationMs, 0)
    const asked = Promise.withResolvers<void>()
    const silent = await openRaw(() => asked.resolve())
    const sending = send(silent.url.replace('http:', 'https:'))
    await asked.promise
    time.jump(10_000)
    assert.equal((await sending).status, null)
  })
})

describe('connections to one origin', () => {
  /** A receiver that answers at /ok and hangs at all other paths. */
  async function openHalfHanging() {
    const receiver = await openReceiver(({ path }, response) => {
      if (path === '/ok') response.end()
    })
    const hang = (count: number) =>
      Array.from({ length: count }, () => send(`${receiver.url}/hang`))
    return { receiver, hang, ok: (owner?: string) => send(`${receiver.url}/ok`, owner) }
  }

  it('are shared by no two clients: hanging paths of one delay nothing of another', async () => {
    const { receiver, hang, ok } = await openHalfHanging()
    const hanging = hang(40)
    await receiver.has(32)
    // No time passes.
    assert.deepEqual([(await ok('2')).status, receiver.got.length], [200, 33])
    time.jump(10_000)
    await Promise.all(hanging)
  })

  it('are waited for, and the ten seconds begin with them', async () => {
    const { receiver, hang } = await openHalfHanging()
    const hanging = hang(32)
    await receiver.has(32)
    time.jump(6000)
    const answered = Promise.withResolvers<void>()
    receiver.answer = async (_got, response) => {
      await answered.promise
      response.end()
    }
    const [waiting] = hang(1)
    time.jump(4000)
    await receiver.has(33)
    time.jump(9999)
    await turn()
    answered.resolve()
    const { isTried, status, durationMs } = (await waiting) ?? {}
    assert.deepEqual([isTried, status, durationMs], [true, 200, 13_999])
    await Promise.all(hanging)
  })

  it('are waited for no longer than 5 seconds, and then nothing was tried', async () => {
    const { receiver, hang, ok } = await openHalfHanging()
    const hanging = hang(32)
    await receiver.has(32)
    const waiting = ok()
    time.jump(4999)
    await turn()
    time.jump(1)
    const { isTried, status, durationMs } = await waiting
    assert.deepEqual([isTried, status, durationMs], [false, null, 5000])
    time.jump(5000)
    await Promise.all(hanging)
    assert.equal(receiver.got.length, 32)
  })
})

describe('receivers that answer with 100 MB', () => {
  it('are read no further than 64 KiB, of which 500 characters are kept', async (t) => {
    for (const [head, status] of [
      [endless, 200],
      [failed, 500],
    ] as const) {
      let flooding: Promise<void> | undefined
      const { url } = await openRaw((socket) => {
        flooding = flood(socket, head)
      })
      const before = sentBytes
      const answer = await send(url)
      assert.equal(answer.status, status)
      assert.equal(answer.excerpt, 'x'.repeat(500))
      await flooding
      // More than 64 KiB, since the socket buffers of the operating system fill too.
      assert.ok(sentBytes - before < 16_000_000, `${sentBytes - before} bytes were sent`)
      t.diagnostic(`${status}: ${sentBytes - before} bytes left the sender`)
    }
  })

  it('do not make the memory grow over 50 tries', async (t) => {
    const { url } = await openRaw((socket) => flood(socket, endless))
    await Promise.all(Array.from({ length: 16 }, () => send(url)))
    const before = process.memoryUsage()
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => send(url)))
    const now = process.memoryUsage()
    const grown = now.external + now.heapUsed - before.external - before.heapUsed
    t.diagnostic(`grown by ${Math.round(grown / 1e6)} MB after 5 GB were offered`)
    assert.ok(grown < 60_000_000, `grown by ${grown} bytes`)
  })
})
