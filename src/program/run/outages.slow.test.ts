import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { knownLabUrl } from '#program/sandbox/lab.ts'
import { call, initBody, isEnd, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import {
  allEnd,
  assertHonest,
  becomesReady,
  databaseOf,
  killPostmaster,
  startPayments,
} from '#test/outages.ts'
import {
  assertRefused,
  dataFolder,
  labOf,
  postmasterOf,
  runProgram,
  startGateway,
} from '#test/program.ts'
import { eventually } from '#test/wait.ts'

const init = 'POST /api/v1/transaction/init'
const isLinux = process.platform === 'linux'

// The tests share a folder and build on each other, in this order.
describe('beside a gateway', { skip: !isLinux && 'needs /proc' }, async () => {
  const folder = await dataFolder('migrated')
  const gateway = await startGateway({ DATA_DIR: folder, LAB_PORT: '0' })
  const caller = { url: gateway.url, secret: 'sk_sandbox_demo_enterprise' }
  const db = databaseOf(folder)

  it('PostgreSQL dies under payments: it starts again, they go on, none is lost', async () => {
    const load = startPayments(caller)
    await load.reaches(20)
    const killed = await killPostmaster(folder)
    await eventually('it says so', () => gateway.printed().includes('PostgreSQL has ended'))
    await becomesReady(gateway)
    await load.reaches(20)
    await assertHonest(db, await load.end())
    assert.notEqual(await postmasterOf(folder), killed)
  })

  it('PostgreSQL dies and cannot start for a while: it is tried until it can', async () => {
    const server = await postmasterOf(folder)
    assert.ok(server !== null)
    const cluster = join(folder, 'postgres')
    await rename(cluster, `${cluster}.away`)
    process.kill(server, 'SIGKILL')
    const failures = () => gateway.printed().split('PostgreSQL could not be started').length - 1
    await eventually('two failures', () => failures() >= 2)
    const { status, body } = await gateway.get('/readyz')
    assert.deepEqual([status, body.status], [503, 'not ready'])
    // Nothing took its place.
    await rename(`${cluster}.away`, cluster)
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

  it('another start on its port says that it is taken, and harms nothing', async () => {
    const before = [await labOf(folder), await postmasterOf(folder)]
    const PORT = new URL(gateway.url).port
    assertRefused(
      await runProgram(['serve'], { DATA_DIR: folder, PORT }),
      new RegExp(`^passerelle: Port ${PORT} is taken: stop`),
    )
    assert.deepEqual([await labOf(folder), await postmasterOf(folder)], before)
    assert.equal((await call(caller, init, initBody())).status, 201)
  })

  it('PostgreSQL dies while the gateway stops: nothing is left running', async () => {
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
})
