import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { addPerson, signIn } from '#test/dashboard.ts'
import { getLink, linkBody } from '#test/links.ts'
import { freePort } from '#test/listen.ts'
import { call, collected, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { missing } from '#test/needs.ts'
import { startProxy } from '#test/proxies.ts'
import { eventually } from '#test/wait.ts'
import { startLab } from '../../../lab/server.ts'

describe('two cells behind HAProxy', { skip: missing('haproxy') }, () => {
  it('are one gateway for the merchants of both', async () => {
    const { url, cells } = await twoCells()
    for (const cell of cells) {
      await payEverywhere({ ...cell, url })
      await followEvents({ ...cell, url })
      await signInTo({ ...cell, url })
      await meetLimits({ ...cell, url })
    }
    await loseCell(url, cells)
    for (const { db } of cells) await assertMoney({ db })
  })
})

type Cell = Awaited<ReturnType<typeof twoCells>>['cells'][0]

/** Two gateways that know of themselves only the address of the proxy in front of them. */
async function twoCells() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const lab = await startLab({ port: 0, pace: 10 })
  after(() => lab.close())
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
  const served = [first, second].map((one) => ({
    cell: one.name,
    servers: [new URL(one.url).host],
  }))
  await startProxy(served, { port })
  return { url, cells: [first, second] as const }
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

/** A cell that is gone: its own merchants are told when to come back, the others see nothing. */
async function loseCell(url: string, [first, second]: readonly [Cell, Cell]): Promise<void> {
  const load = payUntilStopped({ url, secret: first.secret })
  await eventually('payments before the loss', () => load.statuses.length > 3)
  await second.stop()
  const target = 'GET /api/v1/api-services/balance'
  const lost = await eventually('the proxy finds no server of c2', async () => {
    // Without an answer when HAProxy has sent it on a connection that is closed meanwhile.
    const answer = await call({ url, secret: second.secret }, target).catch(() => undefined)
    return answer?.status === 503 && answer
  })
  assert.deepEqual(
    [lost.body.code, lost.body.success, lost.headers.get('retry-after')],
    ['SERVICE_UNAVAILABLE', false, '5'],
  )
  const page = await fetch(`${url}/cells/c2/pay/process/${clock.now().getTime()}`)
  assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '5'])
  assert.match(await page.text(), /Un instant/)
  const soFar = load.statuses.length
  await eventually('payments after the loss', () => load.statuses.length > soFar + 3)
  assert.deepEqual(new Set(await load.stop()), new Set([201]))
}

/** A merchant who pays one order after the other. */
function payUntilStopped(merchant: { url: string; secret: string }) {
  const statuses: number[] = []
  let isOver = false
  const paying = (async () => {
    while (!isOver) {
      const { status } = await call(merchant, 'POST /api/v1/transaction/init', initBody())
      statuses.push(status)
    }
  })()
  const stop = async () => {
    isOver = true
    await paying
    return statuses
  }
  return { statuses, stop }
}
