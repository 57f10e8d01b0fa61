import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { exchange } from '../../test/app.ts'
import { fakeMonotonicClock } from '../../test/fake-time.ts'
import { startTurnServer } from '../../test/turn-server.ts'
import { eventually } from '../../test/wait.ts'

const request = 'GET /api/turn HTTP/1.1\r\nHost: x\r\n\r\n'

/** A connection, what came back on it, and how it ended. */
function client(port: number, options: { allowHalfOpen?: boolean } = {}) {
  const socket: Socket = connect({ port, host: '127.0.0.1', ...options })
  let text = ''
  let problem: string | undefined
  socket.setEncoding('utf8').on('data', (more) => void (text += more))
  socket.on('error', ({ message }) => void (problem = message))
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const answers = () => text.match(/HTTP\/1\.1 \d+/g) ?? []
  return { socket, closed, answers, text: () => text, problem: () => problem }
}

describe('a server that closes', () => {
  it('answers what had arrived on open connections, and resets none', async () => {
    const { http, port } = await startTurnServer()
    const clients = Array.from({ length: 60 }, () => client(port))
    for (const { socket } of clients) socket.write(request)
    await eventually('all were served once', () => clients.every((one) => one.answers().length > 0))
    // Written to the sockets at once; the server has no chance to read before it closes.
    for (const { socket } of clients) socket.write(request)
    await http.close()
    await Promise.all(clients.map(({ closed }) => closed))
    for (const one of clients) {
      assert.deepEqual(one.answers(), ['HTTP/1.1 200', 'HTTP/1.1 200'], one.problem())
      assert.match(one.text().slice(one.text().lastIndexOf('HTTP/1.1')), /connection: close/i)
    }
  })

  for (const listens of ['one', 'many'] as const)
    it(`answers requests on connections that it has not accepted yet (${listens})`, async () => {
      const { http, port } = await startTurnServer({ listens })
      const clients = Array.from({ length: 1300 }, () => client(port))
      for (const { socket } of clients) socket.write(request)
      await http.close()
      await Promise.all(clients.map(({ closed }) => closed))
      for (const one of clients) assert.deepEqual(one.answers(), ['HTTP/1.1 200'], one.problem())
    })

  it('waits until a connection in use has got an answer with which it ends', async (t) => {
    // The wait ends because the connection closes, and not because time passes.
    const clock = fakeMonotonicClock()
    t.after(clock.restore)
    const { http, port } = await startTurnServer()
    const { socket, answers, text, closed } = client(port)
    socket.write(request)
    await eventually('it was answered', () => answers().length === 1)
    assert.doesNotMatch(text(), /Connection: close/i)
    http.drain()
    let isUsed = true
    const waited = http.untilNoneIsUsed().then(() => (isUsed = false))
    // It is not closed while the next request may be on its way.
    await eventually('one listens', () => http.moreListeners.length === 0)
    assert.ok(isUsed)
    socket.write(request)
    await closed
    assert.equal(answers().length, 2)
    assert.match(text(), /Connection: close/i)
    await waited
    await http.close()
  })

  it('answers all requests that were sent ahead, the last with Connection: close', async () => {
    const { http, port } = await startTurnServer()
    const going = exchange(port, [request.repeat(5)])
    await once(http.server, 'connection')
    await http.close()
    const answers = await going
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.connection]),
      [...Array.from({ length: 4 }, () => [200, 'keep-alive']), [200, 'close']],
    )
  })

  it('does not carry out what it can no longer answer, and closes all the same', async () => {
    const { http, port, begun } = await startTurnServer()
    const one = client(port, { allowHalfOpen: true })
    one.socket.write(request)
    await eventually('it was served once', () => one.answers().length === 1)
    const closing = http.close()
    await once(one.socket, 'end')
    one.socket.write(request)
    await closing
    one.socket.destroy()
    assert.equal(begun(), 1)
    assert.equal(one.answers().length, 1)
  })
})
