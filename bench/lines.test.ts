import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { Lines } from './lines.ts'
import { openLines } from './lines.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
const answer = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const good = (body: string) => ({ status: 200, body, problem: undefined })
const bad = (problem: string) => ({ status: 0, body: '', problem })

interface Place {
  lines: Lines
  /** The server's side of every connection that was made. */
  sockets: Socket[]
}

async function linesTo(t: TestContext, server: Server, most: number): Promise<Place> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const lines = openLines(`http://127.0.0.1:${port}`, most)
  t.after(() => {
    lines.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { lines, sockets }
}

/** To a server of Node. */
function served(
  t: TestContext,
  most: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Place> {
  return linesTo(t, createHttpServer(serve), most)
}

/** One line to a server that does the next of these to whoever asks it something. */
function scripted(t: TestContext, turns: ((socket: Socket) => unknown)[]): Promise<Place> {
  const server = createServer((socket) => {
    socket.on('data', () => turns.shift()?.(socket))
    socket.on('error', () => {})
  })
  return linesTo(t, server, 1)
}

const says = (words: string) => (socket: Socket) => socket.write(words)
const ends = (words: string) => (socket: Socket) => socket.end(words)
const resets = (socket: Socket) => socket.resetAndDestroy()

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket?.closed === false) await once(socket, 'close')
}

describe('lines', () => {
  it('tell the status and the body', async (t) => {
    const { lines, sockets } = await served(t, 1, (request, response) => {
      void text(request).then((body) => {
        response.statusCode = body === '' ? 404 : 201
        const content = Buffer.from(`${request.method} ${request.url} ${body} 🧾`)
        response.setHeader('content-length', content.length).end(content)
      })
    })
    const told = async (request: string) => {
      const { status, body } = await lines.send(request)
      return `${status} ${Buffer.from(body, 'latin1').toString()}`
    }
    const post = 'POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nabcd'
    assert.equal(await told(post), '201 POST /a abcd 🧾')
    assert.equal(await told(get('/none')), '404 GET /none  🧾')
    assert.equal(sockets.length, 1)
  })

  it('read a large answer that comes in pieces', async (t) => {
    const large = 'x'.repeat(500_000)
    const { lines } = await served(t, 1, (request, response) => {
      if (request.url === '/none') return void response.writeHead(204).end()
      response.writeHead(200, { 'content-length': large.length })
      response.write(large.slice(0, 7))
      setTimeout(() => response.end(large.slice(7)), 20)
    })
    assert.deepEqual(await lines.send(get('/')), good(large))
    assert.deepEqual(await lines.send(get('/none')), { ...good(''), status: 204 })
    assert.deepEqual(await lines.send(get('/')), good(large))
  })

  it('are no more than allowed: requests beyond wait', async (t) => {
    let going = 0
    let mostGoing = 0
    const { lines, sockets } = await served(t, 3, ({ url = '' }, response) => {
      going += 1
      mostGoing = Math.max(mostGoing, going)
      setTimeout(() => {
        going -= 1
        response.setHeader('content-length', url.length).end(url)
      }, 5)
    })
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    const answers = await Promise.all(paths.map((path) => lines.send(get(path))))
    assert.deepEqual(answers, paths.map(good))
    assert.deepEqual([mostGoing, sockets.length], [3, 3])
  })

  it('serve first who came first', async (t) => {
    const asked: string[] = []
    const { lines } = await served(t, 1, ({ url = '' }, response) => {
      asked.push(url)
      response.writeHead(204).end()
    })
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`)
    await Promise.all(paths.map((path) => lines.send(get(path))))
    assert.deepEqual(asked, paths)
  })

  it('are opened only when they are needed', async (t) => {
    const { lines, sockets } = await served(t, 10, (_request, response) => {
      response.writeHead(204).end()
    })
    for (let one = 0; one < 5; one += 1) await lines.send(get('/'))
    assert.equal(sockets.length, 1)
    await Promise.all([lines.send(get('/')), lines.send(get('/'))])
    assert.equal(sockets.length, 2)
  })

  it('are used in turn, so that none is silent for long', async (t) => {
    const used: Socket[] = []
    const { lines, sockets } = await served(t, 3, ({ socket }, response) => {
      used.push(socket)
      response.writeHead(204).end()
    })
    await Promise.all([1, 2, 3].map(() => lines.send(get('/'))))
    for (let one = 0; one < 6; one += 1) await lines.send(get('/'))
    assert.deepEqual(
      sockets.map((socket) => used.filter((other) => other === socket).length),
      [3, 3, 3],
    )
  })

  it('let those in use end when they are closed', async (t) => {
    const { lines, sockets } = await served(t, 1, (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), 20)
    })
    const answers = Promise.all([lines.send(get('/')), lines.send(get('/'))])
    lines.close()
    assert.deepEqual(
      await answers,
      [204, 204].map((status) => ({ ...good(''), status })),
    )
    await closed(sockets[0])
  })
})

describe('a line that breaks', () => {
  it('fails its request when the connection is refused, each time', async (t) => {
    const server = createServer()
    const { lines } = await linesTo(t, server, 2)
    server.close()
    await once(server, 'close')
    const answers = await Promise.all([1, 2, 3, 4].map(() => lines.send(get('/'))))
    assert.deepEqual(answers, Array<unknown>(4).fill(bad('ECONNREFUSED')))
    assert.deepEqual(await lines.send(get('/')), bad('ECONNREFUSED'))
  })

  it('fails its request alone, and is opened anew for the one that waits', async (t) => {
    const { lines, sockets } = await scripted(t, [
      says(answer('one')),
      ends(''),
      says(answer('three')),
      ends('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'),
      resets,
      says(answer('six')),
    ])
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => lines.send(get('/'))))
    assert.deepEqual(answers, [
      good('one'),
      bad('closed'),
      good('three'),
      bad('closed'),
      bad('ECONNRESET'),
      good('six'),
    ])
    assert.equal(sockets.length, 4)
  })

  it('is not used again after the server has left, or says that it will', async (t) => {
    const { lines, sockets } = await scripted(t, [
      says(answer('one').replace('\r\n', '\r\nConnection: close\r\n')),
      ends(answer('two')),
      says(answer('three')),
    ])
    assert.deepEqual(await lines.send(get('/')), good('one'))
    assert.deepEqual(await lines.send(get('/')), good('two'))
    await closed(sockets[1])
    assert.deepEqual(await lines.send(get('/')), good('three'))
    assert.equal(sockets.length, 3)
  })

  const wrong: [name: string, text: string, problem: string][] = [
    ['another protocol', `SSH-2.0\r\n\r\n`, 'not an answer'],
    [
      'an answer in chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      'transfer-encoding cannot be read here',
    ],
    ['an answer without a length', 'HTTP/1.1 200 OK\r\n\r\n', 'no content-length'],
    ['a wrong length', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', 'content-length is "x"'],
  ]
  for (const [name, piece, problem] of wrong)
    it(`fails its request when it hears ${name}`, async (t) => {
      const { lines } = await scripted(t, [says(piece), says(answer('next'))])
      assert.deepEqual(await lines.send(get('/')), bad(problem))
      assert.deepEqual(await lines.send(get('/')), good('next'))
    })

  it('is left when it says more than was asked', async (t) => {
    const { lines, sockets } = await scripted(t, [
      says(answer('one') + answer('more')),
      says(answer('two')),
    ])
    assert.deepEqual(await lines.send(get('/')), good('one'))
    await closed(sockets[0])
    assert.deepEqual(await lines.send(get('/')), good('two'))
    assert.equal(sockets.length, 2)
  })
})
