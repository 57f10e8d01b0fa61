import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '../kit/log.ts'
import { openHttp } from './server.ts'
import { streamAsEvents, streamAsSocket } from './stream.ts'

let made = 0
let ended = 0
const body = 'x'.repeat(10_000)

/** Events without end, as fast as somebody takes them. */
async function* flood(signal: AbortSignal) {
  try {
    while (!signal.aborted) {
      made += 1
      yield { id: 'id', position: made, body, createdAt: new Date() }
      if (made % 100 === 0) await sleep(0)
    }
  } finally {
    ended += 1
  }
}

/** Nothing, until the listener goes. */
// oxlint-disable-next-line require-yield
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  if (!signal.aborted) await once(signal, 'abort')
}

const http = await openHttp({
  log: openLog('silent'),
  isHttps: false,
  trustedProxies: [],
  redisUrl: null,
})
http.get('/silence', async (_request, reply) => streamAsEvents(reply, silence, Object, 50))
http.get('/silent-socket', { websocket: true }, (socket) =>
  streamAsSocket(socket, silence, Object, 50),
)
let late = 0
http.get('/late', async (request, reply) => {
  await once(request.raw.socket, 'close')
  await streamAsEvents(reply, silence, Object)
  late += 1
})
http.get('/flood', async (_request, reply) => streamAsEvents(reply, flood, Object))
http.get('/socket-flood', { websocket: true }, (socket) => streamAsSocket(socket, flood, Object))
await http.listen({ port: 0, host: '127.0.0.1' })
after(() => http.close())
const { port } = http.server.address() as AddressInfo

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** A listener that reads only when it is told to. */
function listen(path: string, headers: string[] = []) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((h) => `${h}\r\n`).join('')}\r\n`)
  socket.pause()
  return socket
}

describe('a stream', () => {
  for (const [path, headers] of [
    ['/flood', []],
    ['/socket-flood', upgrade],
  ] as const)
    it(`waits for a listener that does not read (${path})`, async (t) => {
      made = 0
      ended = 0
      const socket = listen(path, [...headers])
      for (let before = -1, looks = 0; before !== made && looks < 20; looks += 1) {
        before = made
        await sleep(300)
      }
      const whileStuck = made
      t.diagnostic(`${whileStuck} events of 10 kB were made before it waited`)
      assert.ok(whileStuck < 2000, `${whileStuck} events were made`)
      socket.resume()
      await sleep(200)
      assert.ok(made > whileStuck, 'and goes on when it reads')
      socket.destroy()
      for (let waits = 0; ended === 0 && waits < 100; waits += 1) await sleep(20)
      assert.equal(ended, 1, 'and ends when it goes')
    })

  it('ends at once for a listener that left before it began', async () => {
    const socket = listen('/late')
    await sleep(100)
    socket.destroy()
    for (let waits = 0; late === 0 && waits < 100; waits += 1) await sleep(20)
    assert.equal(late, 1)
  })

  it('says every now and then that it is still there', async () => {
    const socket = listen('/silence')
    let text = ''
    socket.resume()
    socket.on('data', (part) => {
      text += part.toString('latin1')
    })
    await sleep(400)
    assert.match(text, /content-type: text\/event-stream/i)
    assert.match(text, /: connected\n\n/)
    assert.ok(text.split(': still here\n\n').length > 3, text)
    socket.destroy()
  })

  it('gives up a socket that does not answer its pings', async () => {
    const socket = listen('/silent-socket', upgrade)
    let pings = 0
    socket.resume()
    socket.on('data', (part) => {
      pings += part.toString('latin1').split('\x89\x00').length - 1
    })
    const closed = once(socket, 'close')
    await Promise.race([closed, sleep(2000).then(() => assert.fail('it was kept'))])
    assert.ok(pings >= 1)
  })
})
