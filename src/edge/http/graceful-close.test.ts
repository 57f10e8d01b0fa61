import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { fakeMonotonicClock } from '#test/fake-time.ts'
import { startTurnServer } from '#test/turn-server.ts'
import { eventually } from '#test/wait.ts'

const request = 'GET /api/turn HTTP/1.1\r\nHost: x\r\n\r\n'

/** A connection, what came back on it, and how it ended. */
function client(port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
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

  it('ends a connection in use with an answer while it drains', async () => {
    const { http, port } = await startTurnServer()
    const { socket, answers, text, closed } = client(port)
    socket.write(request)
    await eventually('it was answered', () => answers().length === 1)
    assert.doesNotMatch(text(), /Connection: close/i)
    http.drain()
    socket.write(request)
    await closed
    assert.equal(answers().length, 2)
    assert.match(text(), /Connection: close/i)
    await http.close()
  })

  it('is unused a second after the last request, whenever that comes', async (t) => {
    const clock = fakeMonotonicClock()
    t.after(clock.restore)
    const { http, port } = await startTurnServer()
    let isUnused = false
    const ask = async () => {
      const one = client(port)
      one.socket.write(request)
      await eventually('it was answered', () => one.answers().length === 1)
      one.socket.destroy()
    }
    http.drain()
    await ask()
    const waited = http.untilUnused().then(() => (isUnused = true))
    for (let seconds = 0; seconds < 4; seconds += 1) {
      clock.advance(999)
      await ask()
      assert.equal(isUnused, false)
    }
    clock.advance(1000)
    await waited
    await http.close()
  })

  it('waits for what is in progress, and not for a connection that has sent nothing', async () => {
    const { http, port, begun } = await startTurnServer()
    const [unused, busy] = [client(port), client(port)]
    await once(unused.socket, 'connect')
    busy.socket.write(request)
    await eventually('it has begun', () => begun() === 1)
    await http.close()
    await Promise.all([unused.closed, busy.closed])
    assert.deepEqual([unused.answers(), busy.answers()], [[], ['HTTP/1.1 200']])
  })
})
