import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, it } from 'node:test'
import { pino } from 'pino'
import { eventually } from '#test/wait.ts'
import { openHttp } from './server.ts'
import { mayBeSlow } from './slow-senders.ts'

const log = pino({ level: 'silent' })
const http = await openHttp({ log, isHttps: false, trustedProxies: [], requestTimeoutMs: 200 })
http.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
)
const answer = async ({ body }: { body: unknown }) => ({ length: String(body).length })
http.post('/usual', answer)
http.post('/upload', { onRequest: async ({ raw }) => mayBeSlow(http, raw) }, answer)
const url = await http.listen({ host: '127.0.0.1', port: 0 })
after(() => http.close())

/** A request of which only the beginning is sent. */
function begin(path: string) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  const got = { text: '', isClosed: false, socket }
  socket.on('error', () => {})
  socket.on('data', (part) => void (got.text += part.toString()))
  socket.on('close', () => void (got.isClosed = true))
  socket.write(headOf(path))
  after(() => socket.destroy())
  return got
}

const headOf = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nx`

it('a request that may be slow is answered long after the time of all others', async () => {
  const slow = begin('/upload')
  // Node reports requests in the order of their connections: this one is over the time, too.
  const usual = begin('/usual')
  await eventually('the usual one is cut', () => usual.isClosed)
  assert.match(usual.text, /^HTTP\/1.1 408 /)
  assert.ok(!slow.isClosed)
  slow.socket.write('x'.repeat(9))
  await eventually('the slow one is answered', () => slow.text.includes('{"length":10}'))
  slow.socket.write(headOf('/usual'))
  await eventually('the next one on its connection is cut', () => slow.isClosed)
  assert.match(slow.text, /HTTP\/1.1 408 /)
})

it('fifty may be slow at a time; others keep the usual time', async () => {
  const allowed = Array.from({ length: 50 }, () => begin('/upload'))
  await eventually('all have begun', () => http.slowSenders.size === 50)
  const more = begin('/upload')
  await eventually('one more is cut', () => more.isClosed)
  assert.match(more.text, /^HTTP\/1.1 408 /)
  assert.ok(allowed.every(({ isClosed }) => !isClosed))
  for (const { socket } of allowed) socket.destroy()
  await eventually('they are forgotten', () => http.slowSenders.size === 0)
})
