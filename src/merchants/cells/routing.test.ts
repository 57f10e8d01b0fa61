import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { listen } from '#test/listen.ts'
import { missing } from '#test/needs.ts'
import { startProxy } from '#test/proxies.ts'

// Names that begin with one another: c1, c10, c100.
const names = Array.from({ length: 100 }, (_, index) => `c${index + 1}`)
const keyOf = (cell: string) => `sk_live_${cell}_${'A'.repeat(43)}`

describe('cells behind HAProxy', { skip: missing('haproxy') }, () => {
  it('get what names them, also a hundred', leadsToAll)
  it('are asked again only for what has reached no process', sendsOnce)
})

async function leadsToAll(): Promise<void> {
  const { url } = await startProxy(await startCells())
  const cellOf = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, { headers })
    await answer.body?.cancel()
    return `${answer.status} ${answer.headers.get('x-cell')}`
  }
  const byKey = (secret: string) => cellOf('/api/v1/x', { authorization: `Bearer ${secret}` })
  for (const name of names) {
    assert.equal(await byKey(keyOf(name)), `200 ${name}`)
    assert.equal(await cellOf(`/cells/${name}/callbacks/gsma/1/x`), `200 ${name}`)
  }
  const cookie = 'passerelle_cell=c10'
  assert.equal(await cellOf('/dashboard', { cookie }), '200 c10')
  assert.equal(await cellOf('/cells/c7/dashboard', { cookie }), '200 c7')
  assert.equal(await cellOf('/docs', { cookie }), '200 c1')
  // The key decides before the path; a browser's WebSocket has it in its subprotocol.
  const authorization = `bearer ${keyOf('c7')}`
  assert.equal(await cellOf('/cells/c8/x', { authorization }), '200 c7')
  const protocol = { 'sec-websocket-protocol': `events, bearer.${keyOf('c9')}` }
  assert.equal(await cellOf('/api/v1/events/stream', protocol), '200 c9')
  // What names no cell, or none that there is, is for the first.
  for (const secret of [keyOf('c101'), `sk_live_${'A'.repeat(43)}`, 'c9', `${keyOf('c9')}A`])
    assert.equal(await byKey(secret), '200 c1', secret)
  for (const path of ['/cells/c101/x', '/cells/c101/pay/process/x', '/cells/', '/cells', '/'])
    assert.equal(await cellOf(path), '200 c1', path)
}

async function sendsOnce(): Promise<void> {
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
    { cell: 'half', servers: [stays.host, goes.host] },
    { cell: 'rude', servers: rude.map(({ host }) => host) },
  ]
  const { url } = await startProxy(cells)
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
    names.map(async (name) => ({ cell: name, servers: [(await startServer(name)).host] })),
  )
}

/** A server of a cell. */
async function startServer(name: string, onPost: (socket: Socket) => void = () => {}) {
  const server = createServer((request, reply) => {
    if (request.method === 'POST') onPost(request.socket)
    reply.setHeader('X-Cell', name)
    reply.end(`{"status":"ready","cell":"${name}"}`)
  })
  // As the gateway: HAProxy closes idle connections first.
  server.keepAliveTimeout = 65_000
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
