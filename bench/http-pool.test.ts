import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { HttpPool } from './http-pool.ts'
import { openHttpPool } from './http-pool.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
const answer = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const received = (body: string) => ({ status: 200, body, problem: undefined })
const failed = (problem: string) => ({ status: 0, body: '', problem })

interface Fixture {
  pool: HttpPool
  /** The server's side of every connection that was opened. */
  sockets: Socket[]
}

async function openPoolTo(
  t: TestContext,
  server: Server,
  connectionsMax: number,
): Promise<Fixture> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const pool = openHttpPool(`http://127.0.0.1:${port}`, connectionsMax)
  t.after(() => {
    pool.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { pool, sockets }
}

/** A pool to an HTTP server of Node. */
function openPoolToNode(
  t: TestContext,
  connectionsMax: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Fixture> {
  return openPoolTo(t, createHttpServer(serve), connectionsMax)
}

/** A pool of one connection to a server that performs the next step for each chunk it reads. */
function openPoolToScript(
  t: TestContext,
  steps: ((socket: Socket) => unknown)[],
): Promise<Fixture> {
  const server = createServer((socket) => {
    socket.on('data', () => steps.shift()?.(socket))
    socket.on('error', () => {})
  })
  return openPoolTo(t, server, 1)
}

const writes = (text: string) => (socket: Socket) => socket.write(text)
const ends = (text: string) => (socket: Socket) => socket.end(text)
const resets = (socket: Socket) => socket.resetAndDestroy()

async function waitForClose(socket: Socket | undefined): Promise<void> {
  if (socket?.closed === false) await once(socket, 'close')
}

describe('the HTTP pool', () => {
  it('returns the status and the body', async (t) => {
    const { pool, sockets } = await openPoolToNode(t, 1, (request, response) => {
      void text(request).then((body) => {
        response.statusCode = body === '' ? 404 : 201
        const content = Buffer.from(`${request.method} ${request.url} ${body} 🧾`)
        response.setHeader('content-length', content.length).end(content)
      })
    })
    const exchange = async (request: string) => {
      const { status, body } = await pool.send(request)
      return `${status} ${Buffer.from(body, 'latin1').toString()}`
    }
    const post = 'POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nabcd'
    assert.equal(await exchange(post), '201 POST /a abcd 🧾')
    assert.equal(await exchange(get('/none')), '404 GET /none  🧾')
    assert.equal(sockets.length, 1)
  })

  it('reads a large response that arrives in several chunks', async (t) => {
    const large = 'x'.repeat(500_000)
    const { pool } = await openPoolToNode(t, 1, (request, response) => {
      if (request.url === '/none') return void response.writeHead(204).end()
      response.writeHead(200, { 'content-length': large.length })
      response.write(large.slice(0, 7))
      setTimeout(() => response.end(large.slice(7)), 20)
    })
    assert.deepEqual(await pool.send(get('/')), received(large))
    assert.deepEqual(await pool.send(get('/none')), { ...received(''), status: 204 })
    assert.deepEqual(await pool.send(get('/')), received(large))
  })

  it('opens no more connections than allowed and queues further requests', async (t) => {
    let running = 0
    let runningMost = 0
    const { pool, sockets } = await openPoolToNode(t, 3, ({ url = '' }, response) => {
      running += 1
      runningMost = Math.max(runningMost, running)
      setTimeout(() => {
        running -= 1
        response.setHeader('content-length', url.length).end(url)
      }, 5)
    })
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    const answers = await Promise.all(paths.map((path) => pool.send(get(path))))
    assert.deepEqual(answers, paths.map(received))
    assert.deepEqual([runningMost, sockets.length], [3, 3])
  })

  it('sends queued requests in the order of their calls', async (t) => {
    const requested: string[] = []
    const { pool } = await openPoolToNode(t, 1, ({ url = '' }, response) => {
      requested.push(url)
      response.writeHead(204).end()
    })
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    await Promise.all(paths.map((path) => pool.send(get(path))))
    assert.deepEqual(requested, paths)
  })

  it('opens a connection only when no idle one exists', async (t) => {
    const { pool, sockets } = await openPoolToNode(t, 10, (_request, response) => {
      response.writeHead(204).end()
    })
    for (let one = 0; one < 5; one += 1) await pool.send(get('/'))
    assert.equal(sockets.length, 1)
    await Promise.all([pool.send(get('/')), pool.send(get('/'))])
    assert.equal(sockets.length, 2)
  })

  it('uses its connections in rotation, so that none stays idle for long', async (t) => {
    const used: Socket[] = []
    const { pool, sockets } = await openPoolToNode(t, 3, ({ socket }, response) => {
      used.push(socket)
      response.writeHead(204).end()
    })
    await Promise.all([1, 2, 3].map(() => pool.send(get('/'))))
    for (let one = 0; one < 6; one += 1) await pool.send(get('/'))
    assert.deepEqual(
      sockets.map((socket) => used.filter((other) => other === socket).length),
      [3, 3, 3],
    )
  })

  it('finishes pending and queued requests after close', async (t) => {
    const { pool, sockets } = await openPoolToNode(t, 1, (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), 20)
    })
    const answers = Promise.all([pool.send(get('/')), pool.send(get('/'))])
    pool.close()
    assert.deepEqual(
      await answers,
      [204, 204].map((status) => ({ ...received(''), status })),
    )
    await waitForClose(sockets[0])
  })
})

describe('the HTTP pool with a broken connection', () => {
  it('fails each request when the connection is refused', async (t) => {
    const server = createServer()
    const { pool } = await openPoolTo(t, server, 2)
    server.close()
    await once(server, 'close')
    const answers = await Promise.all([1, 2, 3, 4].map(() => pool.send(get('/'))))
    assert.deepEqual(answers, Array<unknown>(4).fill(failed('ECONNREFUSED')))
    assert.deepEqual(await pool.send(get('/')), failed('ECONNREFUSED'))
  })

  it('fails only the request on that connection and opens a new one for the next', async (t) => {
    const { pool, sockets } = await openPoolToScript(t, [
      writes(answer('one')),
      ends(''),
      writes(answer('three')),
      ends('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'),
      resets,
      writes(answer('six')),
    ])
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => pool.send(get('/'))))
    assert.deepEqual(answers, [
      received('one'),
      failed('closed'),
      received('three'),
      failed('closed'),
      failed('ECONNRESET'),
      received('six'),
    ])
    assert.equal(sockets.length, 4)
  })

  it('does not reuse a connection that the server closed or announced to close', async (t) => {
    const { pool, sockets } = await openPoolToScript(t, [
      writes(answer('one').replace('\r\n', '\r\nConnection: close\r\n')),
      ends(answer('two')),
      writes(answer('three')),
    ])
    assert.deepEqual(await pool.send(get('/')), received('one'))
    assert.deepEqual(await pool.send(get('/')), received('two'))
    await waitForClose(sockets[1])
    assert.deepEqual(await pool.send(get('/')), received('three'))
    assert.equal(sockets.length, 3)
  })

  const malformed: [name: string, text: string, problem: string][] = [
    ['another protocol', `SSH-2.0\r\n\r\n`, 'not an answer'],
    [
      'a chunked response',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      'transfer-encoding cannot be read here',
    ],
    ['a response without a content-length', 'HTTP/1.1 200 OK\r\n\r\n', 'no content-length'],
    [
      'a malformed content-length',
      'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n',
      'content-length is "x"',
    ],
  ]
  for (const [name, chunk, problem] of malformed)
    it(`fails the request when it reads ${name}`, async (t) => {
      const { pool } = await openPoolToScript(t, [writes(chunk), writes(answer('next'))])
      assert.deepEqual(await pool.send(get('/')), failed(problem))
      assert.deepEqual(await pool.send(get('/')), received('next'))
    })

  it('closes a connection that sends more than one response to a request', async (t) => {
    const { pool, sockets } = await openPoolToScript(t, [
      writes(answer('one') + answer('more')),
      writes(answer('two')),
    ])
    assert.deepEqual(await pool.send(get('/')), received('one'))
    await waitForClose(sockets[0])
    assert.deepEqual(await pool.send(get('/')), received('two'))
    assert.equal(sockets.length, 2)
  })
})
