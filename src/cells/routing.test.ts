import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { freePort, listen } from '../../test/listen.ts'
import { missing } from '../../test/needs.ts'
import type { ProxyKind } from '../../test/proxies.ts'
import { startProxy, untilServed } from '../../test/proxies.ts'
import { eventually } from '../../test/wait.ts'

// Names that begin with one another: c1, c10, c100.
const names = Array.from({ length: 100 }, (_, index) => `c${index + 1}`)
const keyOf = (cell: string, end = 'A') => `sk_live_${cell}_${end.repeat(43)}`
const link = '0189d9a2-1111-4222-8333-444455556666'
const client = 483_920_174

for (const kind of ['haproxy', 'nginx'] as const)
  describe(`cells behind ${kind}`, { skip: missing(kind) }, () => {
    it('get what names them, also a hundred, and what was moved meanwhile', () => leadsToAll(kind))
    it('are asked again only for what has reached no process', () => sendsOnce(kind))
  })

async function leadsToAll(kind: ProxyKind): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const cells = await startCells()
  const file = { default: 'c50', listen: `127.0.0.1:${port}`, cells }
  const proxy = await startProxy(kind, file)
  await untilServed(url, 'c100')
  const cellOf = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, { headers })
    await answer.body?.cancel()
    return `${answer.status} ${answer.headers.get('x-cell')}`
  }
  const byKey = (key: string) => cellOf('/api/v1/x', { authorization: `Bearer ${key}` })
  for (const name of names) {
    assert.equal(await byKey(keyOf(name)), `200 ${name}`)
    assert.equal(await cellOf(`/cells/${name}/callbacks/gsma/${client}/x`), `200 ${name}`)
  }
  assert.equal(await cellOf('/dashboard', { cookie: 'passerelle_cell=c10' }), '200 c10')
  assert.equal(await byKey(keyOf('c101')), '200 c50')

  const keys = [createHash('sha256').update(keyOf('c7')).digest('hex')]
  await proxy.change({
    ...file,
    moved: [{ client, from: 'c7', to: 'c93', keys, links: [link] }],
  })
  await eventually('the moved key is led to its new cell', async () => {
    return (await byKey(keyOf('c7'))) === '200 c93'
  })
  assert.equal(await byKey(keyOf('c7', 'B')), '200 c7')
  assert.equal(await cellOf(`/cells/c7/pay/process/${link}`), '200 c93')
  assert.equal(await cellOf(`/cells/c7/callbacks/gsma/${client}/x`), '200 c93')
  assert.equal(await cellOf(`/cells/c7/callbacks/gsma/${client + 1}/x`), '200 c7')
}

async function sendsOnce(kind: ProxyKind): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const posts = { half: 0, rude: 0 }
  const counts = () => {
    posts.half += 1
  }
  const [stays, goes] = [await startServer('half', counts), await startServer('half', counts)]
  // Each takes an order, and dies before it has answered.
  const dies = (socket: Socket) => {
    posts.rude += 1
    socket.destroy()
  }
  const rude = [await startServer('rude', dies), await startServer('rude', dies)]
  const cells = [
    { name: 'half', servers: [stays.host, goes.host] },
    { name: 'rude', servers: rude.map(({ host }) => host) },
  ]
  await startProxy(kind, { default: 'half', listen: `127.0.0.1:${port}`, cells })
  for (const { name } of cells) await untilServed(url, name)
  const post = (cell: string) =>
    fetch(`${url}/api/v1/x`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyOf(cell)}` },
      body: '{}',
    })
  // Connections that the proxy had kept are closed by then; that the process is gone is not known.
  await goes.stop()
  for (let number = 1; number <= 20; number += 1) {
    assert.equal((await post('half')).status, 200)
    assert.equal(posts.half, number)
  }
  // HAProxy closes the connection without an answer when that to the process was used before.
  const answer = await post('rude').then(
    ({ status }) => String(status),
    () => 'no answer',
  )
  assert.match(answer, /^50[23]$|^no answer$/)
  assert.equal(posts.rude, 1)
}

/** A server for each cell that says which one it is, as a gateway does. */
function startCells() {
  return Promise.all(
    names.map(async (name) => ({ name, servers: [(await startServer(name)).host] })),
  )
}

/** A server of a cell. */
async function startServer(name: string, onPost: (socket: Socket) => void = () => {}) {
  const server = createServer((request, reply) => {
    if (request.method === 'POST') onPost(request.socket)
    reply.setHeader('X-Cell', name)
    reply.end(`{"status":"ready","cell":"${name}"}`)
  })
  const { host } = new URL(await listen(server))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  /** Ends each connection, and waits until the other side has closed it too. */
  const stop = async () => {
    server.close()
    const closed = [...sockets].map((socket) => {
      socket.end()
      return new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(closed)
  }
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { host, stop }
}
