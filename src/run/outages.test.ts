import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, initBody, isEnd, until } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import type { Gateway } from '../../test/program.ts'
import {
  assertRefused,
  dataFolder,
  isGone,
  labOf,
  postmasterOf,
  runProgram,
  startGateway,
} from '../../test/program.ts'
import { eventually } from '../../test/wait.ts'
import { readConfig } from '../config/config.ts'
import { openDb } from '../db/db.ts'
import { knownLabUrl } from '../sandbox/lab.ts'

const init = 'POST /api/v1/transaction/init'
const isLinux = process.platform === 'linux'

// The tests share a folder and build on each other, in this order.
describe('beside a gateway', { skip: !isLinux && 'needs /proc' }, async () => {
  const folder = await dataFolder()
  // Two processes share it, and only their supervisor starts it again.
  const gateway = await startGateway({ DATA_DIR: folder, LAB_PORT: '0' }, ['--processes', '2'])
  const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
  const db = databaseOf(folder)

  it('PostgreSQL dies under payments: it is started again, they go on, and none is lost', async () => {
    const load = startPayments(caller)
    await load.reaches(20)
    const killed = await killPostmaster(folder)
    await eventually('it says so', () => gateway.printed().includes('PostgreSQL has ended'))
    await becomesReady(gateway)
    await load.reaches(20)
    const { acknowledged, statuses } = await load.end()
    assert.deepEqual(
      [...statuses].filter((one) => one !== 201 && one !== 503),
      [],
    )
    assert.notEqual(await postmasterOf(folder), killed)
    const rows = await db<{ id: string; amount: number }>`select id, amount from transactions`
    const amounts = new Map(rows.map(({ id, amount }) => [id, amount]))
    for (const [id, amount] of acknowledged) assert.equal(amounts.get(id), amount, id)
  })

  it('PostgreSQL dies and cannot start for a while: it is tried until it can', async () => {
    const control = join(folder, 'postgres/global/pg_control')
    await rename(control, `${control}.away`)
    await killPostmaster(folder)
    const failures = () => gateway.printed().split('PostgreSQL could not be started').length - 1
    await eventually('two failures', () => failures() >= 2)
    const { status, body } = await gateway.get('/readyz')
    assert.deepEqual([status, body.status], [503, 'not ready'])
    await rename(`${control}.away`, control)
    await becomesReady(gateway)
    const { status: paid } = await call(caller, init, initBody())
    assert.equal(paid, 201)
  })

  it('and all payments end as the lab has executed them', async () => {
    await allEnd(db)
    await assertMoney({ db, lab: { url: await knownLabUrl(readConfig({ DATA_DIR: folder })) } })
  })

  it('the lab dies: it is started again at its address', async () => {
    const killed = await labOf(folder)
    assert.ok(killed !== null)
    process.kill(killed, 'SIGKILL')
    await eventually('another lab', async () => ![null, killed].includes(await labOf(folder)))
    assert.match(gateway.printed(), /the lab has ended and is started again/)
    const { body } = await call(caller, init, initBody())
    const id = String(body.transaction.transactionId)
    assert.equal(await until(caller, id, isEnd), 'SUCCESS')
  })

  it('another start on its port says who holds it, and harms nothing', async () => {
    const before = [await labOf(folder), await postmasterOf(folder)]
    const PORT = new URL(gateway.url).port
    assertRefused(
      await runProgram(['serve'], { DATA_DIR: folder, PORT }),
      new RegExp(`^passerelle: Port ${PORT} is taken by process \\d+ \\(.*passerelle.*\\): stop`),
    )
    assert.deepEqual([await labOf(folder), await postmasterOf(folder)], before)
    assert.equal((await call(caller, init, initBody())).status, 201)
  })

  it('PostgreSQL dies while the gateway stops: it stops all the same, and leaves nothing running', async () => {
    await db.close()
    const ends = () => gateway.printed().split('PostgreSQL has ended').length - 1
    const before = ends()
    await killPostmaster(folder)
    await eventually('it is being started', () => ends() > before)
    const { code } = await gateway.stop()
    assert.equal(code, 0)
    assert.equal(await postmasterOf(folder), null)
    assert.equal(await labOf(folder), null)
  })

  it('the lab is too busy to end when the gateway is killed: the next start ends it', async () => {
    const LAB_PORT = await freePort()
    const killed = await startGateway({ DATA_DIR: folder, LAB_PORT })
    const lab = await labOf(folder)
    assert.ok(lab !== null)
    process.kill(lab, 'SIGSTOP')
    await killed.stop('SIGKILL')
    const next = await startGateway({ DATA_DIR: folder, LAB_PORT })
    assert.ok(await isGone(lab))
    assert.equal((await call({ ...caller, url: next.url }, init, initBody())).status, 201)
    await next.stop('SIGKILL')
    const left = await labOf(folder)
    assert.ok(left === null || (await isGone(left)))
  })
})

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

function databaseOf(folder: string) {
  const host = encodeURIComponent(join(folder, 'socket'))
  const url = `postgresql://passerelle@/passerelle?host=${host}&port=5432&sslmode=disable`
  // Its name keeps the server running, as that of a gateway would not once all gateways are gone.
  const db = openDb({ url, name: 'test', connectionsMax: 2 })
  after(() => db.close().catch(() => {}))
  return db
}

/** Kills the PostgreSQL of a folder, and returns its pid. */
async function killPostmaster(folder: string): Promise<number> {
  const pid = await postmasterOf(folder)
  assert.ok(pid !== null)
  process.kill(pid, 'SIGKILL')
  return pid
}

async function becomesReady(gateway: Gateway): Promise<void> {
  await eventually('ready again', async () => (await gateway.get('/readyz')).status === 200)
}

async function allEnd(db: ReturnType<typeof databaseOf>): Promise<void> {
  let open: object[] = []
  await eventually(
    () => `the end of ${JSON.stringify(open)}`,
    async () => {
      // Later than a lease can end: it is a back-off, and no process works on the row.
      await db`
        update transactions set due_at = now()
        where completed_at is null and due_at > now() + interval '20 seconds'`
      open = await db`
        select id, status, attempt_state, polls, due_at - now() as due_in
        from transactions where completed_at is null limit 10`
      return open.length === 0
    },
  )
}

/** Sends payments from four callers until `end`. */
function startPayments(caller: { url: string; secret: string }) {
  const acknowledged = new Map<string, number>()
  const statuses = new Set<number>()
  let isOver = false
  const callers = Array.from({ length: 4 }, async (_, index) => {
    while (!isOver) {
      const body = initBody({ amount: 300 + index })
      const { status, body: answer } = await call(caller, init, body)
      statuses.add(status)
      if (status === 201) acknowledged.set(answer.transaction.transactionId, body.amount)
      else await sleep(20)
    }
  })
  return {
    reaches: (more: number) => {
      const goal = acknowledged.size + more
      return eventually(`${goal} payments`, () => acknowledged.size >= goal)
    },
    end: async () => {
      isOver = true
      await Promise.all(callers)
      return { acknowledged, statuses }
    },
  }
}
