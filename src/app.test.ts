import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Http } from '#edge/http/http.ts'
import { count, type TestApp, testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'

const gateway = await testGateway()
const balance = 'GET /api/v1/api-services/balance'

let entered = 0
const mayAnswer = Promise.withResolvers<void>()

/** Adds a route that answers when the test lets it, to stop a server with requests in progress. */
const addSlow = (http: Http) =>
  http.get('/api/v1/slow', { schema: { hide: true } }, async () => {
    entered += 1
    await mayAnswer.promise
    return { status: 'done' }
  })

/** Fails if the server waits for its connections: it would cut them off after 15 s. */
async function assertCutsNoneOff(app: TestApp): Promise<void> {
  await app.http.close()
  assert.deepEqual(
    app.logged.filter(({ msg }) => msg === 'connections were cut off'),
    [],
  )
}

it('only the payment pages of a sandbox say that they are a test', async () => {
  const live = {
    MODE: 'live',
    DATABASE_URL: 'postgresql://user:secret@db.example.com/passerelle?sslmode=verify-full',
    PUBLIC_URL: 'https://pay.example.com',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const page = async (environment: Record<string, string>) => {
    const app = await gateway.start({ environment })
    const { status, text } = await app.send('GET /pay/process/nothing')
    await app.close()
    assert.equal(status, 404)
    return text
  }
  assert.match(await page({}), /TEST/)
  assert.doesNotMatch(await page(live), /TEST/)
})

describe('a server that is draining', async () => {
  const app = await gateway.start()
  const before = await app.send('GET /readyz')
  app.drain()

  it('was ready and kept connections open before', () => {
    assert.deepEqual([before.status, before.body], [200, { status: 'ready' }])
    assert.equal(before.headers.connection, 'keep-alive')
  })

  const scenarios: [target: string, key: string | null, status: number][] = [
    [balance, gateway.secret, 200],
    [balance, null, 401],
    ['GET /nowhere', null, 404],
    ['POST /livez', null, 405],
    ['GET /livez', null, 200],
    ['GET /readyz', null, 503],
  ]
  for (const [target, key, status] of scenarios)
    it(`answers ${target} with ${status}, then closes the connection`, async () => {
      const answer = await app.send(target, { key })
      assert.equal(answer.status, status)
      assert.equal(answer.headers.connection, 'close')
    })

  it('says on /readyz that it is not ready because it is stopping', async () => {
    const { body, headers } = await app.send('GET /readyz')
    assert.deepEqual(body, { status: 'not ready', because: 'stopping' })
    assert.equal(headers['retry-after'], '1')
  })
})

describe('a server that is closed', () => {
  it('finishes requests in progress, and takes no new connection', async () => {
    const app = await gateway.start({ routes: addSlow })
    const requests = Array.from({ length: 5 }, () => app.send('GET /api/v1/slow'))
    await eventually('all requests are in their routes', async () => entered === requests.length)
    const closing = app.http.close()
    await eventually('it takes nothing new', () =>
      app.send(balance, { agent: new Agent() }).then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED',
      ),
    )
    mayAnswer.resolve()
    const answers = await Promise.all(requests)
    assert.deepEqual(count(answers), { 200: 5 })
    for (const { headers } of answers) assert.equal(headers.connection, 'close')
    await closing
  })

  it('ends event streams', async () => {
    const app = await gateway.start()
    const headers = `Host: x\r\nAuthorization: Bearer ${gateway.secret}\r\n`
    const socket = connect(app.port, '127.0.0.1')
    const closed = once(socket, 'close')
    let text = ''
    socket.on('data', (part) => {
      text += part.toString()
    })
    socket.write(`GET /api/v1/events/stream HTTP/1.1\r\n${headers}\r\n`)
    await eventually('the stream has begun', () => text.includes(': connected'))
    await assertCutsNoneOff(app)
    await closed
    assert.match(text, /: connected[\s\S]*\r\n0\r\n\r\n$/)
  })

  const idle: [name: string, sent: string][] = [
    ['without a request', ''],
    ['with half a request', 'GET /livez HT'],
    ['whose request was answered', 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'],
  ]
  for (const [name, sent] of idle)
    it(`does not wait for a connection ${name}`, async () => {
      const app = await gateway.start()
      const socket = connect(app.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(sent)
      const connections = promisify(app.http.server.getConnections.bind(app.http.server))
      await eventually('it is connected', async () => (await connections()) === 1)
      if (sent.endsWith('\r\n\r\n')) await once(socket, 'data')
      await assertCutsNoneOff(app)
      socket.destroy()
    })
})

it('one of two servers stops under load and no request fails (O1)', async () => {
  const servers = [await gateway.start(), await gateway.start()]
  const proxy = await roundRobin(servers)
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const served = new Map<unknown, number>()
  let isOver = false
  const caller = async () => {
    while (!isOver) {
      const answer = await callProxy(proxy.port, agent).catch((problem: Error) => problem)
      if (answer instanceof Error) failures.push(answer.message)
      else if (answer.status !== 200) failures.push(`${answer.status} from ${String(answer.by)}`)
      else served.set(answer.by, (served.get(answer.by) ?? 0) + 1)
    }
  }
  const callers = Array.from({ length: 16 }, caller)
  const [first, second] = servers as [TestApp, TestApp]
  const servedBy = ({ port }: TestApp) => served.get(String(port)) ?? 0
  try {
    await eventually('both servers serve', async () => servers.every((one) => servedBy(one) > 50))
    first.drain()
    await eventually('the proxy has seen it', async () => !proxy.sendsTo(first))
    // Closing the listening socket resets connections that it has not accepted yet.
    await eventually('no request is in progress', () => proxy.openTo(first) === 0)
    await first.http.close()
    const soFar = servedBy(second)
    await eventually('the other server serves all', async () => servedBy(second) > soFar + 100)
  } finally {
    isOver = true
    await Promise.all(callers)
    proxy.close()
    agent.destroy()
  }
  assert.deepEqual(failures, [])
})

/** A small load balancer: round robin over the servers that are ready, polled every 25 ms. */
async function roundRobin(servers: TestApp[]) {
  const agent = new Agent({ keepAlive: true })
  const open = new Map<number, number>()
  let ready = servers
  let turn = 0
  const poll = async () => {
    const polls = servers.map((one) => one.send('GET /readyz').catch(() => undefined))
    const answers = await Promise.all(polls)
    ready = servers.filter((_, index) => answers[index]?.status === 200)
  }
  const polling = setInterval(() => void poll(), 25)
  const server = createServer((incoming, response) => {
    turn += 1
    const { port } = ready[turn % ready.length] ?? { port: 0 }
    const { method = '', url: path = '', headers } = incoming
    const forwarded = request({ host: '127.0.0.1', port, method, path, headers, agent })
    open.set(port, (open.get(port) ?? 0) + 1)
    response.on('close', () => open.set(port, (open.get(port) ?? 0) - 1))
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, { 'x-served-by': port })
      answer.pipe(response)
    })
    forwarded.on('error', ({ message }) => {
      response.writeHead(502, { 'x-served-by': `${port}: ${message}` }).end()
    })
    forwarded.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    clearInterval(polling)
    agent.destroy()
    server.close()
    server.closeAllConnections()
  }
  const { port } = server.address() as AddressInfo
  return {
    port,
    close,
    sendsTo: (one: TestApp) => ready.includes(one),
    /** How many requests it has sent to a server and not answered yet. */
    openTo: (one: TestApp) => open.get(one.port) ?? 0,
  }
}

function callProxy(port: number, agent: Agent): Promise<{ status: number; by: unknown }> {
  const headers = { authorization: `Bearer ${gateway.secret}` }
  const path = balance.slice(4)
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers, agent }, (answer) => {
      answer.resume()
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, by: answer.headers['x-served-by'] }),
      )
    })
    call.on('error', reject)
    call.end()
  })
}
