import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../../test/wait.ts'
import type { Http } from './http.ts'
import { openHttp } from './server.ts'
import type { SlowLimits } from './slow-requests.ts'

const requestTimeoutMs = 200

/** A server with one route that lets requests be slow, and one that does not. */
async function openServer(slowLimits: Partial<SlowLimits>): Promise<{ http: Http; port: number }> {
  const log = pino({ level: 'silent' })
  const options = { log, isHttps: false, trustedProxies: [], redisUrl: null }
  const http = await openHttp({ ...options, requestTimeoutMs, slowLimits })
  http.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  http.post('/usual', async ({ body }) => ({ length: String(body).length }))
  http.post(
    '/upload',
    { onRequest: async ({ raw }) => http.slowRequests.allow(raw) },
    async ({ body }) => ({ length: String(body).length }),
  )
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  after(() => http.close())
  return { http, port: Number(new URL(url).port) }
}

/** A request of which only the beginning is sent. */
function begin(port: number, path: string, length: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  const got = { text: '', isClosed: false, socket }
  socket.on('error', () => {})
  socket.on('data', (part) => void (got.text += part.toString()))
  socket.on('close', () => void (got.isClosed = true))
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${length}\r\n\r\nx`,
  )
  after(() => socket.destroy())
  return got
}

describe('a request that may be slow', async () => {
  const patient = { wholeMs: 600_000, graceMs: 600_000, bytesPerSecondMin: 1, atOnceMax: 2 }
  const { http, port } = await openServer(patient)

  it('is answered long after the time of all others, and the next one is as usual', async () => {
    const slow = begin(port, '/upload', 10)
    // Node reports requests in the order of their connections: this one is over the time, too.
    const usual = begin(port, '/usual', 10)
    await eventually('the usual one is cut', () => usual.isClosed)
    assert.match(usual.text, /^HTTP\/1.1 408 /)
    assert.ok(!slow.isClosed)
    slow.socket.write('x'.repeat(9))
    await eventually('the slow one is answered', () => slow.text.includes('{"length":10}'))
    slow.socket.write('POST /usual HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n')
    slow.socket.write('Content-Length: 10\r\n\r\nx')
    await eventually('the next one is cut', () => slow.isClosed)
    assert.match(slow.text, /HTTP\/1.1 408 /)
  })

  it('is one of so many at a time; others keep the usual time', async () => {
    const allowed = [begin(port, '/upload', 10), begin(port, '/upload', 10)]
    await eventually(
      'both have begun',
      () => allowed.every(({ socket }) => socket.bytesWritten > 0) && http.connections.size >= 2,
    )
    await eventually('a third is cut', async () => {
      const third = begin(port, '/upload', 10)
      await eventually('it is over', () => third.isClosed)
      return third.text.includes(' 408 ')
    })
    assert.ok(allowed.every(({ isClosed }) => !isClosed))
    for (const { socket } of allowed) socket.destroy()
    await eventually('they are forgotten', async () => {
      const next = begin(port, '/upload', 2)
      next.socket.write('x')
      await eventually('it is over', () => next.isClosed || next.text.includes('"length"'))
      return next.text.includes('{"length":2}')
    })
  })
})

describe('a request that is too slow even so is cut', () => {
  const limits: [string, Partial<SlowLimits>][] = [
    ['below the least rate', { wholeMs: 600_000, graceMs: 1, bytesPerSecondMin: 1_000_000 }],
    ['over the whole time', { wholeMs: 1, graceMs: 600_000, bytesPerSecondMin: 1 }],
  ]
  for (const [name, slowLimits] of limits)
    it(name, async () => {
      const { http, port } = await openServer(slowLimits)
      const slow = begin(port, '/upload', 10)
      await eventually('it is cut', () => slow.isClosed)
      assert.equal(slow.text, '')
      assert.equal(http.connections.cut.slow, 1)
    })
})
