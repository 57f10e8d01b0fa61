import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testInstallation } from '#test/installation.ts'
import { call, initBody } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { becomesReady } from '#test/outages.ts'
import { startGateway } from '#test/program.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const { db, lab, environment, countOpen, expireLeases, untilAllEnded } = await testInstallation()
const secret = 'sk_sandbox_demo_enterprise'
const init = 'POST /api/v1/transaction/init'
const shiftedClock = fileURLToPath(new URL('../../../chaos/shifted-clock.ts', import.meta.url))

/** The environment of a process whose machine has a wrong clock; `set` sets it for a signal. */
async function withClock(role: string, hours: number) {
  const CLOCK_OFFSET_FILE = join(environment.DATA_DIR, `${role}-clock`)
  const set = (ahead: number) => writeFile(CLOCK_OFFSET_FILE, String(ahead * 3_600_000))
  await set(hours)
  const NODE_OPTIONS = `--import ${shiftedClock}`
  return { set, environment: { ...environment, CLOCK_OFFSET_FILE, NODE_OPTIONS } }
}

// The tests build on each other, in this order.
describe('processes with one role each, whose clocks are hours apart', async () => {
  const receiver = await openReceiver()
  const callBackURL = `${receiver.url}/hook`
  const clock = await withClock('api', -1)
  const api = await startGateway(clock.environment, ['--role', 'api'])
  const caller = { url: api.url, secret }

  const timesSet = () => api.printed().split('differed from that of the database').length - 1

  it('api serves requests and carries out what they begin', async () => {
    assert.match(api.printed(), /Role +api/)
    const { status } = await call(caller, init, initBody({ callBackURL }))
    assert.equal(status, 201)
    await receiver.has(1)
    assert.equal(receiver.got.length, 1)
  })

  it('api leaves rows that have fallen due to others', async () => {
    // The provider sends no callback for this number: only a query finds the outcome.
    const { body } = await call(caller, init, initBody({ number: '770000005', callBackURL }))
    const id = String(body.transaction.transactionId)
    await eventually('it is overdue', async () => (await overdueMs(id)) > 2000)
    assert.equal((await transaction(id)).completedAt, null)
  })

  // Else the worker takes orders for an hour old that are on their way to the provider.
  it('api records the time of the database, also after its clock has jumped', async () => {
    assert.ok(Math.abs(await newestAgeMs()) < 60_000)
    await clock.set(2)
    api.kill('SIGUSR2')
    await eventually('it is set again', () => timesSet() === 2)
    const { status } = await call(caller, init, initBody({ callBackURL }))
    assert.equal(status, 201)
    assert.ok(Math.abs(await newestAgeMs()) < 60_000)
  })

  it('api leaves open transactions when it is killed', async () => {
    // Those of the second number end by queries alone, which are not this process's work.
    const bodies = Array.from({ length: 40 }, (_, index) =>
      initBody({ callBackURL, number: index % 2 === 0 ? '771234567' : '770000005' }),
    )
    const calls = bodies.map((body) => call(caller, init, body).catch(() => undefined))
    await Promise.any(calls.filter((_, index) => index % 2 === 1))
    await api.stop('SIGKILL')
    await Promise.all(calls)
    assert.ok((await countOpen()) > 1)
    await expireLeases()
  })

  it('worker ends all open transactions, and serves only probes and metrics', async () => {
    const ahead = await withClock('worker', 1)
    const worker = await startGateway(ahead.environment, ['--role', 'worker'])
    assert.match(worker.printed(), /Role +worker/)
    assert.doesNotMatch(worker.printed(), /curl|API/)
    assert.equal((await worker.get('/api/v1/api-services/balance', secret)).status, 404)
    assert.equal((await worker.get('/docs')).status, 404)
    for (const path of ['/livez', '/metrics'])
      assert.equal((await worker.get(path)).status, 200, path)
    await becomesReady(worker)
    await untilAllEnded()
    const [{ ended } = { ended: 0 }] = await db<{ ended: number }>`
      select count(*) as ended from transactions`
    await eventually('a webhook for each', () => receiver.got.length >= ended)
    await worker.stop()
    await assertMoney({ db, lab })
  })
})

/** The age of the transaction that was recorded last, by the clock of the database. */
async function newestAgeMs(): Promise<number> {
  const [row] = await db<{ ageMs: number }>`
    select (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"
    from transactions order by xmin::text::bigint desc limit 1`
  return row?.ageMs ?? Number.NaN
}

async function transaction(id: string): Promise<{ completedAt: Date | null; dueAt: Date | null }> {
  const [row] = await db<{ completedAt: Date | null; dueAt: Date | null }>`
    select completed_at as "completedAt", due_at as "dueAt" from transactions where id = ${id}`
  assert.ok(row !== undefined)
  return row
}

async function overdueMs(id: string): Promise<number> {
  const { dueAt, completedAt } = await transaction(id)
  assert.equal(completedAt, null)
  return dueAt === null ? 0 : Date.now() - dueAt.getTime()
}
