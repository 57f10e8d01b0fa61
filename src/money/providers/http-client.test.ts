import assert from 'node:assert/strict'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, it, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificate, key } from '#test/certificate.ts'
import { fakeTime } from '#test/fake-time.ts'
import { eventually } from '#test/wait.ts'
import { openHttpClient } from './http-client.ts'

// Timers of this process stand still, but not those imported by name: `sleep` is of real time.
const time = fakeTime()

/** A TCP server that calls `onData` for every chunk; it records the chunks and the connections. */
async function rawServer(onData: (socket: Socket, text: string) => void) {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      seen.push(chunk.toString())
      onData(socket, chunk.toString())
    })
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}/base/`, seen, connections: () => sockets.size }
}

function open(url: string, connectionsMax = 4) {
  const client = openHttpClient(url, connectionsMax)
  after(() => client.close())
  return client
}

const post = { method: 'POST', path: '/orders', body: { a: 1 }, deadlineMs: 400 } as const
const answer = (head: string, body = '') =>
  `HTTP/1.1 ${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

describe('a request on an open connection without a complete answer is lost', () => {
  // name, what the server does after the request, whether it ends by its deadline or without it
  const scenarios: [string, (socket: Socket) => void, 'by deadline'?][] = [
    ['a closed socket', (socket) => socket.end()],
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['silence', () => {}, 'by deadline'],
    ['something that is not HTTP', (socket) => socket.end('hello\r\n\r\n')],
    ['half an answer', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')],
    ['a body that never ends', (socket) => drip(socket), 'by deadline'],
    ['a body over 64 KiB', (socket) => socket.end(answer('200 OK', 'x'.repeat(65_537)))],
    [
      'headers that never end',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${'x'.repeat(99_999)}`),
    ],
  ]
  for (const [name, act, ends] of scenarios)
    it(name, async () => {
      const server = await rawServer(act)
      const replying = open(server.url).call(post)
      await eventually('the server has it', () => server.seen.length > 0)
      if (ends === 'by deadline') await time.pass(400)
      const reply = await replying
      assert.equal(reply.kind, 'lost', JSON.stringify(reply))
      assert.equal(server.seen.filter((text) => text.startsWith('POST')).length, 1)
    })
})

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
  const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20)
  socket.on('close', () => clearInterval(timer))
}

describe('a request of which no byte was sent is not_sent', () => {
  it('a refused connection', async () => {
    const reply = await open('http://127.0.0.1:1').call(post)
    assert.deepEqual(reply, { kind: 'not_sent', reason: 'ECONNREFUSED' })
  })

  it('a host name that does not exist', async () => {
    assert.equal((await open('http://nobody.invalid').call(post)).kind, 'not_sent')
  })

  it('a TLS handshake that fails', async () => {
    const server = await rawServer((socket) => socket.end('hello'))
    const reply = await open(server.url.replace('http:', 'https:')).call(post)
    assert.equal(reply.kind, 'not_sent')
    assert.ok(!server.seen.some((text) => text.includes('/orders')))
  })

  it('a self-signed certificate, also with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    let requests = 0
    const server = createTlsServer({ key, cert: certificate }, (_request, response) => {
      requests += 1
      response.end('{}')
    })
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
    after(() => void server.close())
    const { port } = server.address() as AddressInfo
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const reply = await open(`https://127.0.0.1:${port}`).call(post)
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    assert.deepEqual(reply, { kind: 'not_sent', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    assert.equal(requests, 0)
  })

  it('an order that waits for a connection until its deadline', async () => {
    const server = await rawServer(() => {})
    const client = open(server.url, 1)
    const first = client.call({ ...post, deadlineMs: 600 })
    const second = client.call({ ...post, path: '/second', deadlineMs: 200 })
    await eventually('the server has the first', () => server.seen.length === 1)
    await time.pass(200)
    assert.equal((await second).kind, 'not_sent')
    await time.pass(400)
    assert.equal((await first).kind, 'lost')
    // The second one stays unsent after the connection is free again.
    const third = client.call({ ...post, path: '/third', deadlineMs: 200 })
    await eventually('the server has the third', () => server.seen.length === 2)
    await time.pass(200)
    assert.equal((await third).kind, 'lost')
    assert.ok(!server.seen.some((text) => text.includes('/second')))
  })

  it('a header that cannot be written', async () => {
    const server = await rawServer((socket) => socket.end(answer('200 OK')))
    const reply = await open(server.url).call({ ...post, headers: { a: 'b\r\nc: d' } })
    assert.equal(reply.kind, 'not_sent')
    assert.deepEqual(server.seen, [])
  })
})

test('an answer is returned unchanged, and a redirect is not followed', async () => {
  const server = await rawServer((socket, text) => {
    const isMoved = text.includes('/moved')
    socket.write(
      isMoved
        ? 'HTTP/1.1 307 Moved\r\nlocation: /base/elsewhere\r\ncontent-length: 0\r\n\r\n'
        : answer('500 Oh', '{"é":1}'),
    )
  })
  const client = open(server.url)
  const reply = await client.call({ ...post, headers: { 'x-a': 'b' } })
  assert.ok(reply.kind === 'answered')
  assert.deepEqual([reply.status, reply.body], [500, '{"é":1}'])
  assert.match(server.seen[0] ?? '', /^POST \/base\/orders HTTP[\s\S]*x-a: b[\s\S]*\{"a":1\}$/)
  const moved = await client.call({ method: 'GET', path: '/moved', deadlineMs: 60_000 })
  assert.ok(moved.kind === 'answered')
  assert.deepEqual([moved.status, server.seen.length], [307, 2])
})

test('30 concurrent calls open at most the allowed number of connections', async () => {
  const server = await rawServer(
    (socket) => void sleep(20).then(() => socket.write(answer('200 OK'))),
  )
  const client = open(server.url, 3)
  const replies = await Promise.all(Array.from({ length: 30 }, () => client.call(post)))
  assert.ok(replies.every(({ kind }) => kind === 'answered'))
  assert.ok(server.connections() <= 3)
})
