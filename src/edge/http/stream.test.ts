import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openLog } from '#base/log/log.ts'
import { eventually } from '#test/wait.ts'
import { openHttp } from './server.ts'
import { streamAsEvents, streamAsSocket } from './stream.ts'

let eventCount = 0
let ended = 0
const body = 'x'.repeat(10_000)

/** Endless events, produced as fast as they are consumed. */
async function* flood(signal: AbortSignal) {
  try {
    while (!signal.aborted) {
      eventCount += 1
      yield { id: 'id', position: eventCount, body, createdAt: new Date() }
      if (eventCount % 100 === 0) await turn()
    }
  } finally {
    ended += 1
  }
}

/** No event; ends when the client disconnects. */
// oxlint-disable-next-line require-yield
async function* silence(signal: AbortSignal): AsyncGenerator<never> {
  if (!signal.aborted) await once(signal, 'abort')
}

const http = await openHttp({
  log: openLog('silent'),
  isHttps: false,
  trustedProxies: [],
})
http.get('/silence', async (_request, reply) =>
  streamAsEvents(reply, silence, Object, { heartbeatMs: 50 }),
)
http.get('/silent-socket', { websocket: true }, (socket) =>
  streamAsSocket(socket, silence, Object, { heartbeatMs: 50 }),
)
let isLate = false
let lateCount = 0
http.get('/late', async (request, reply) => {
  isLate = true
  await once(request.raw.socket, 'close')
  await streamAsEvents(reply, silence, Object)
  lateCount += 1
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

/** A client whose socket is paused. */
function connectPaused(path: string, headers: string[] = []) {
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
    it(`waits for a client that does not read (${path})`, async (t) => {
      eventCount = 0
      ended = 0
      const socket = connectPaused(path, [...headers])
      await eventually('it begins', () => eventCount > 0)
      // Whatever the socket takes, it takes within a few turns of the event loop.
      for (let before = 0, quiet = 0; quiet < 200; before = eventCount) {
        await turn()
        quiet = before === eventCount ? quiet + 1 : 0
      }
      const whileStuck = eventCount
      t.diagnostic(`${whileStuck} events of 10 kB were produced before it waited`)
      assert.ok(whileStuck < 2000, `${whileStuck} events were produced`)
      socket.resume()
      await eventually('it continues when the client reads', () => eventCount > whileStuck)
      socket.destroy()
      await eventually('it ends when the client disconnects', () => ended === 1)
    })

  it('ends at once when the client disconnected before it began', async () => {
    const socket = connectPaused('/late')
    await eventually('the request is in its route', () => isLate)
    socket.destroy()
    await eventually('it ends', () => lateCount === 1)
  })

  it('sends a heartbeat comment in every interval', async () => {
    const socket = connectPaused('/silence')
    let text = ''
    socket.resume()
    socket.on('data', (part) => {
      text += part.toString('latin1')
    })
    await eventually('heartbeats', () => text.split(': still here\n\n').length > 3)
    assert.match(text, /content-type: text\/event-stream/i)
    assert.match(text, /: connected\n\n/)
    socket.destroy()
  })

  it('terminates a WebSocket that does not answer pings', async () => {
    const socket = connectPaused('/silent-socket', upgrade)
    let pings = 0
    socket.resume()
    socket.on('data', (part) => {
      pings += part.toString('latin1').split('\x89\x00').length - 1
    })
    await eventually('the WebSocket is closed', () => socket.closed)
    assert.ok(pings >= 1)
  })
})
