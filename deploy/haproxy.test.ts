import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { request as requestTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { certificate, key } from '#test/certificate.ts'
import { listen } from '#test/listen.ts'
import { missing } from '#test/needs.ts'
import { startProxy } from '#test/proxies.ts'
import { eventually } from '#test/wait.ts'

const needsHaproxy = { skip: missing('haproxy') }

interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
}

/** A process that the proxy leads to: what reached it, and answers that wait for `let go`. */
async function startProcess() {
  const asked: Asked[] = []
  const held: ServerResponse[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    if (url !== '/readyz') {
      asked.push({ method, url, headers })
      sockets.add(incoming.socket)
    }
    incoming.resume().once('end', () => {
      if (url.includes('held')) held.push(response)
      else response.end('answered')
    })
    incoming.on('error', () => {})
  })
  // As the gateway: HAProxy closes idle connections first.
  server.keepAliveTimeout = 65_000
  const { host } = new URL(await listen(server))
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const letGo = () => {
    for (const response of held.splice(0)) response.end('let go')
  }
  return { host, asked, held, sockets, letGo }
}

interface Sending {
  method?: string
  headers?: Record<string, string | number>
  body?: string
  /** The address of this machine that it comes from. */
  from?: string
  /** Left out: on a connection of its own. */
  agent?: Agent
}

async function send(
  url: string,
  { method = 'GET', headers = {}, body, from, agent }: Sending = {},
) {
  const options = { method, headers, agent: agent ?? false, localAddress: from }
  const sent = url.startsWith('https:')
    ? requestTls(url, { ...options, rejectUnauthorized: false })
    : request(url, options)
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += part
  return { status: answer.statusCode, headers: answer.headers, text }
}

/** A connection on which bytes are written as they are, and what comes of it. */
function open(url: string, bytes: string, from = '127.0.0.1') {
  const got = { text: '', isClosed: false }
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  socket.on('data', (part) => void (got.text += part.toString()))
  socket.on('close', () => void (got.isClosed = true))
  socket.write(bytes)
  after(() => socket.destroy())
  return { ...got, got, socket }
}

describe('the proxy', needsHaproxy, async () => {
  if (missing('haproxy')) return
  const behind = await startProcess()
  const { url } = await startProxy([{ cell: null, servers: [behind.host] }])
  const reached = (path: string) => behind.asked.filter((one) => one.url === path)

  it('tells a process whose request it is, and believes no caller', async () => {
    const forged = {
      'X-Forwarded-For': '10.9.9.9',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'for=10.9.9.9',
    }
    await send(`${url}/api/v1/mine`, { headers: forged, from: '127.0.0.3' })
    const [{ headers } = { headers: {} as IncomingMessage['headers'] }] = reached('/api/v1/mine')
    assert.equal(headers['x-forwarded-for'], '127.0.0.3')
    assert.equal(headers['x-forwarded-proto'], 'http')
    assert.equal(headers['x-forwarded-host'], undefined)
    assert.equal(headers.forwarded, undefined)
  })

  it('shows nobody the metrics', async () => {
    assert.equal((await send(`${url}/metrics`)).status, 404)
    assert.equal((await send(`${url}/cells/c1/metrics`)).status, 404)
    assert.deepEqual(reached('/metrics'), [])
  })

  it('takes files that the gateway takes, and no larger ones', async () => {
    const post = (path: string, bytes: number) => {
      const sent = open(
        url,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(16_384)}`,
      )
      return sent.got
    }
    // The gateway reads what is beyond its own limit, and says so in the form.
    const [batch, statement] = [
      post('/dashboard/batches', 99_000_000),
      post('/dashboard/ops/recon/import', 2_199_000_000),
    ]
    const refused = [
      post('/api/v1/x', 6_000_001),
      post('/api/v1/x/dashboard/ops/', 6_000_001),
      post('/dashboard/batches?x', 100_000_001),
      post('/dashboard/ops/recon/import?x', 2_200_000_001),
    ]
    await eventually('the others are refused', () => refused.every((one) => one.isClosed))
    for (const { text } of refused) assert.match(text, /^HTTP\/1.1 413 /)
    for (const { text } of refused.slice(2)) assert.match(text, /trop volumineux.*too large/s)
    await eventually(
      'both have begun at the process',
      () =>
        reached('/dashboard/batches').length + reached('/dashboard/ops/recon/import').length === 2,
    )
    assert.deepEqual([batch.text, statement.text], ['', ''])
    for (const path of ['/api/v1/x', '/dashboard/batches?x', '/dashboard/ops/recon/import?x'])
      assert.deepEqual(reached(path), [])
  })

  it('holds requests that drip: no process hears of them', async () => {
    const head = 'POST /api/v1/drip HTTP/1.1\r\nHost: x\r\n'
    const slow = [
      open(url, head),
      ...Array.from({ length: 50 }, () => open(url, `${head}Content-Length: 100\r\n\r\n{`)),
    ]
    assert.equal((await send(`${url}/api/v1/beside`)).status, 200)
    await eventually('they are cut', () => slow.every(({ got }) => got.isClosed))
    for (const { got } of slow) assert.match(got.text, /^HTTP\/1.1 408 /)
    assert.deepEqual(reached('/api/v1/drip'), [])
  })

  it('has so many connections of one address, and leaves others alone', async () => {
    const from = '127.0.0.4'
    const flood = Array.from({ length: 700 }, () => open(url, '', from))
    const closed = () => flood.filter(({ got }) => got.isClosed).length
    await eventually('those beyond are closed', () => closed() >= 200)
    assert.equal(closed(), 200)
    assert.equal((await send(`${url}/api/v1/beside`)).status, 200)
    await assert.rejects(send(`${url}/api/v1/beside`, { from }))
    for (const { socket } of flood) socket.destroy()
  })

  it('lets what exceeds the places wait for a second, then says to come again', async () => {
    const places = 300
    const going = Array.from({ length: places + 20 }, (_, index) =>
      send(`${url}/api/v1/held`, { from: `127.0.0.${5 + (index % 2)}` }),
    )
    await eventually('all places are taken', () => behind.held.length === places)
    // What has places of its own, or takes none, does not wait for them.
    for (const path of ['/pay/process/1', '/callbacks/gsma/1/x', '/livez', '/api/v1/events/stream'])
      assert.equal((await send(`${url}${path}`)).status, 200, path)
    const refused: Awaited<ReturnType<typeof send>>[] = []
    for (const one of going) void one.then((answer) => refused.push(answer))
    await eventually('the others are refused', () => refused.length === 20)
    for (const { status, headers, text } of refused) {
      assert.deepEqual([status, headers['retry-after']], [503, '5'])
      assert.equal(JSON.parse(text).code, 'SERVICE_UNAVAILABLE')
    }
    behind.letGo()
    const statuses = (await Promise.all(going)).map(({ status }) => status)
    assert.equal(statuses.filter((one) => one === 200).length, places)
    assert.equal(reached('/api/v1/held').length, places)
  })

  it('gives pages few places, and streams none of theirs', async () => {
    const stream = { headers: { accept: 'text/event-stream' } }
    const streams = Array.from({ length: 120 }, () => send(`${url}/pay/held/events`, stream))
    await eventually('all streams are open', () => behind.held.length === 120)
    const pages = Array.from({ length: 110 }, () => send(`${url}/pay/held`))
    await eventually('their places are taken', () => behind.held.length === 220)
    assert.equal((await send(`${url}/api/v1/beside`)).status, 200)
    const refused = await Promise.race(pages)
    assert.equal(refused.status, 503)
    assert.match(refused.text, /Un instant/)
    behind.letGo()
    await Promise.all([...pages, ...streams])
  })
})

it('requests of new clients go over connections that are open', needsHaproxy, async () => {
  const behind = await startProcess()
  const { url } = await startProxy([{ cell: null, servers: [behind.host] }])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let times = 0; times < 5; times += 1) await send(`${url}/api/v1/x`, { agent })
  const before = behind.sockets.size
  for (let times = 0; times < 20; times += 1) await send(`${url}/api/v1/x`)
  agent.destroy()
  const made = behind.sockets.size - before
  assert.ok(made <= 5, `${made} new connections for 20 clients`)
})

describe('the proxy with a certificate', needsHaproxy, () => {
  it('speaks TLS and HTTP/2, and leads others there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'passerelle-tls-'))
    after(() => rm(folder, { recursive: true }))
    const both = join(folder, 'both.pem')
    await writeFile(both, `${certificate}\n${key}\n`)
    const behind = await startProcess()
    const served = [{ cell: null, servers: [behind.host] }]
    const { url, plainUrl } = await startProxy(served, { certificate: both })
    await eventually('it serves', async () => {
      const answer = await send(`${url}/api/v1/x`).catch(() => undefined)
      return answer?.status === 200
    })
    const [{ headers } = { headers: {} as IncomingMessage['headers'] }] = behind.asked
    assert.equal(headers['x-forwarded-proto'], 'https')
    const led = await send(`${plainUrl}/api/v1/x?y`)
    assert.deepEqual(
      [led.status, led.headers.location],
      [308, `https://${new URL(plainUrl).host}/api/v1/x?y`],
    )
  })
})
