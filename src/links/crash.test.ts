import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLab } from '../../lab/server.ts'
import { testDatabase } from '../../test/database.ts'
import { getLink, linkBody } from '../../test/links.ts'
import { call, ordersByTransaction } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'

const { url: databaseUrl, db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const lab = await startLab({ port: 0, pace: 5 })
const folder = await mkdtemp(join(tmpdir(), 'passerelle-links-'))
const port = await freePort()
const caller = { url: `http://127.0.0.1:${port}`, secret: 'sk_sandbox_demo_enterprise' }
let gateway: ChildProcess | undefined
after(async () => {
  gateway?.kill('SIGKILL')
  await lab.close()
  await rm(folder, { recursive: true, force: true })
})

/** A gateway as a process of its own, that can be killed at any moment. */
async function startProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['bin/passerelle.js', 'serve'], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      PORT: String(port),
      LAB_PORT: new URL(lab.url).port,
    },
  })
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 50) {
    const isReady = await fetch(`${caller.url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isReady) return child
    await sleep(50)
  }
  throw new Error('the gateway did not become ready')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const wallets = ['WALLETA_SN_CASHOUT', 'WALLETF_CI_CASHOUT', 'WALLETB_SN_CASHOUT']
const numbers = ['771234567', '770000001', '770000006', '770000009', '770000011']
const acknowledged = new Set<string>()
let begun = 0

/** A merchant makes a link and a payer pays it at once, by the page's own form, until it dies. */
async function sell(): Promise<void> {
  for (;;) {
    const told = await call(caller, getLink, linkBody()).catch(() => undefined)
    if (told === undefined) return
    assert.equal(told.status, 201, told.text)
    acknowledged.add(told.body.transactionId)
    begun += 1
    const serviceCode = wallets[begun % wallets.length] ?? ''
    const phone = numbers[begun % numbers.length] ?? ''
    const form = new URLSearchParams({ serviceCode, country: serviceCode.slice(8, 10), phone })
    const page = `${told.body.PaymentUrl}/pay`
    // Twice, as by an impatient payer.
    const posts = [0, 1].map(() =>
      fetch(page, { method: 'POST', body: form, redirect: 'manual' }).then(({ status }) => status),
    )
    const answers = await Promise.all(posts).catch(() => undefined)
    if (answers === undefined) return
    for (const status of answers) assert.equal(status, 303)
  }
}

async function openCount(): Promise<number> {
  const [row] = await db<{ open: number }>`
    select count(*) as open from transactions where completed_at is null`
  return row?.open ?? 0
}

it('pays no link twice and loses none when it is killed under load', async () => {
  for (let kill = 0; kill < 4; kill += 1) {
    gateway = await startProcess()
    const enough = acknowledged.size + 5 + 4 * kill
    const selling = Promise.all(Array.from({ length: 6 }, sell))
    while (acknowledged.size < enough) await sleep(1)
    gateway.kill('SIGKILL')
    await Promise.all([once(gateway, 'exit'), selling])
  }
  gateway = await startProcess()
  // Whoever sent them is dead: nobody needs to wait for the end of its lease.
  await owner`
    update transactions set due_at = now() + interval '1 second' where completed_at is null`
  for (let waitedMs = 0; (await openCount()) > 0; waitedMs += 250) {
    assert.ok(waitedMs < 90_000, `${await openCount()} payments never ended`)
    await sleep(250)
  }
  const rows = await db<{ id: string; status: string; payments: string[] }>`
    select l.id, l.status, array_agg(t.id::text) filter (where t.id is not null) as payments
    from links l left join transactions t on (t.client_id, t.link_id) = (l.client_id, l.id)
    group by l.client_id, l.id`
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  for (const id of acknowledged) assert.ok(statuses.has(id), `${id} is lost`)
  const orders = await ordersByTransaction({ db, lab })
  for (const { id, status, payments } of rows) {
    const own = (payments ?? []).flatMap((payment) => orders.get(payment) ?? [])
    const executed = own.reduce((sum, order) => sum + order.executed, 0)
    assert.equal(executed, status === 'SUCCESS' ? 1 : 0, `${id} ${status}: ${executed} times`)
    assert.ok((payments ?? []).length <= 1)
  }
  assert.ok(rows.filter(({ status }) => status === 'SUCCESS').length > 10)
  await assertMoney({ db, lab })
})
