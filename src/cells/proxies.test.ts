import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { startLab } from '../../lab/server.ts'
import { addPerson, signIn } from '../../test/dashboard.ts'
import { getLink, linkBody } from '../../test/links.ts'
import { call, collected, liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import type { ProxyKind } from '../../test/proxies.ts'
import { freePort, noProxy, startProxy, untilServed } from '../../test/proxies.ts'
import { sized } from '../../test/size.ts'
import { eventually } from '../../test/wait.ts'
import { hashSecret, issueKey } from '../clients/keys.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { randomText } from '../kit/ids.ts'

const kinds: ProxyKind[] = sized(['haproxy'], ['haproxy', 'nginx'])
for (const kind of kinds)
  describe(`two cells behind ${kind}`, { skip: noProxy(kind) }, () => behindProxy(kind))

function behindProxy(kind: ProxyKind): void {
  it('are one gateway for the merchants of both', async () => {
    const { url, cells, file, proxy } = await twoCells(kind)
    const [first, second] = cells
    for (const cell of cells) {
      await payEverywhere({ ...cell, url })
      await followEvents({ ...cell, url })
      await signInTo({ ...cell, url })
      await meetLimits({ ...cell, url })
    }
    await moveKey({ url, first, second, file, proxy })
    await loseCell({ url, first, second })
    for (const { db } of cells) await assertMoney({ db })
  })
}

type Cell = Awaited<ReturnType<typeof twoCells>>['cells'][0]

/** Two gateways that know of themselves only the address of the proxy in front of them. */
async function twoCells(kind: ProxyKind) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const lab = await startLab({ port: 0, pace: 10 })
  const open = async (name: string) => ({
    name,
    ...(await liveGateway({
      lab,
      publicUrl: () => url,
      environment: { CELL: name, TRUSTED_PROXIES: '127.0.0.1' },
    })),
  })
  const first = await open('c1')
  const second = await open('c2')
  const file = {
    default: 'c1',
    listen: `127.0.0.1:${port}`,
    cells: [first, second].map((one) => ({ name: one.name, servers: [new URL(one.url).host] })),
  }
  const proxy = await startProxy(kind, file)
  for (const { name } of [first, second]) await untilServed(url, name)
  return { url, cells: [first, second] as const, file, proxy }
}

/** A collection, approved by its payer and reported by a callback; a link and its page. */
async function payEverywhere(cell: Cell): Promise<void> {
  await collected(cell, { externalTransactionId: `order of ${cell.name}` })
  const made = await call(cell, getLink, linkBody())
  assert.equal(made.headers.get('x-cell'), cell.name)
  const page = String(made.body.PaymentUrl)
  assert.ok(page.startsWith(`${cell.url}/cells/${cell.name}/pay/process/`), page)
  const shown = await fetch(page)
  assert.equal(shown.headers.get('x-cell'), cell.name)
  assert.match(await shown.text(), /Panier de légumes/)
}

/** The same event over both kinds of streams, through the proxy. */
async function followEvents({ url, secret, name }: Cell): Promise<void> {
  const stream = await fetch(`${url}/api/v1/events/stream?after=start`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  assert.equal(stream.headers.get('x-cell'), name)
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk as Uint8Array)
    if (text.includes(`order of ${name}`)) break
  }
  const address = `${url.replace('http', 'ws')}/api/v1/events/stream?after=start`
  const socket = new WebSocket(address, [`bearer.${secret}`])
  const message = await new Promise<string>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(String(data)))
    socket.addEventListener('error', () => reject(new Error('the WebSocket failed')))
  })
  assert.match(message, new RegExp(`order of ${name}`))
  socket.close()
}

/** The dashboard at the address with the cell's name, then without it. */
async function signInTo(cell: Cell): Promise<void> {
  const { url, name, clientId } = cell
  const led = await fetch(`${url}/cells/${name}/dashboard`, { redirect: 'manual' })
  assert.deepEqual([led.status, led.headers.get('location')], [303, '/dashboard'])
  const way = led.headers.get('set-cookie')?.split(';')[0] ?? ''
  const email = await addPerson(cell, { clientId, role: 'owner', email: `${name}@shop.example` })
  const person = await signIn(url, email, undefined, way)
  const home = await person.get('/dashboard')
  assert.deepEqual([home.status, home.headers.get('x-cell')], [200, name])
}

/** Addresses that keys are bound to, and the requests that they may send, are the callers'. */
async function meetLimits({ url, db, clientId }: Cell): Promise<void> {
  const order = { clientId, label: 'bound', ratePerMinute: 2, actor: 'test' }
  const { secret } = await db.transaction((tx) =>
    issueKey(tx, { clock, mode: 'sandbox' }, { ...order, allowedAddresses: ['127.0.0.2'] }),
  )
  assert.equal(await balanceFrom('127.0.0.2', url, secret), 200)
  assert.equal(await balanceFrom('127.0.0.1', url, secret), 403)
  assert.equal(await balanceFrom('127.0.0.2', url, secret), 429)
}

/** The status of a request from one of the addresses of this machine, which claims another. */
function balanceFrom(localAddress: string, url: string, secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': '127.0.0.2' }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1/api-services/balance`, { localAddress, headers })
    sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0))
    sent.on('error', reject)
    sent.end()
  })
}

interface Moving {
  url: string
  first: Cell
  second: Cell
  file: object
  proxy: Awaited<ReturnType<typeof startProxy>>
}

/** A key and a link that name the first cell, and are now the second's. */
async function moveKey({ url, first, second, file, proxy }: Moving): Promise<void> {
  const secret = `sk_sandbox_c1_${randomText(32)}`
  const { clientId } = second
  const order = { clientId, label: 'moved', secret, actor: 'test' }
  await second.db.transaction((tx) => issueKey(tx, { clock, mode: 'sandbox' }, order))
  const made = await call(second, getLink, linkBody())
  const id = String(made.body.transactionId)
  const page = `${url}/cells/c1/pay/process/${id}`
  const target = 'GET /api/v1/api-services/balance'
  // It names the cell that it came to: there it is no key at all.
  assert.equal((await call({ url, secret }, target)).status, 401)
  assert.equal((await fetch(page)).status, 404)
  const moved = [
    { client: clientId, from: 'c1', to: 'c2', keys: [hashSecret(secret)], links: [id] },
  ]
  await proxy.change({ ...file, moved })
  await eventually('the key is answered by its cell', async () => {
    const { status, headers } = await call({ url, secret }, target)
    return status === 200 && headers.get('x-cell') === 'c2'
  })
  assert.equal((await fetch(page)).headers.get('x-cell'), 'c2')
  assert.equal((await call({ url, secret: first.secret }, target)).headers.get('x-cell'), 'c1')
}

/** A cell that is gone: its own merchants are told when to come back, the others see nothing. */
async function loseCell({ url, first, second }: Omit<Moving, 'file' | 'proxy'>): Promise<void> {
  await second.stop()
  const target = 'GET /api/v1/api-services/balance'
  await eventually('the proxy finds no server of c2', async () => {
    const lost = await call({ url, secret: second.secret }, target)
    const own = await call({ url, secret: first.secret }, target)
    assert.equal(own.status, 200)
    if (lost.status !== 503) return false
    assert.deepEqual(
      [lost.body.code, lost.body.success, lost.headers.get('x-cell')],
      ['SERVICE_UNAVAILABLE', false, 'c2'],
    )
    assert.equal(lost.headers.get('retry-after'), '5')
    return true
  })
  const page = await fetch(`${url}/cells/c2/pay/process/${clock.now().getTime()}`)
  assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '5'])
  assert.match(await page.text(), /Un instant/)
}
