import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testInstallation } from '../../test/installation.ts'
import { call, initBody } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { becomesReady } from '../../test/outages.ts'
import { startGateway } from '../../test/program.ts'
import { openReceiver } from '../../test/receiver.ts'
import { eventually } from '../../test/wait.ts'

const { db, lab, environment, countOpen, expireLeases, untilAllEnded } = await testInstallation()
const secret = 'sk_sandbox_demo_enterprise'
const init = 'POST /api/v1/transaction/init'

// The tests build on each other, in this order.
describe('processes with one role each', async () => {
  const receiver = await openReceiver()
  const callBackURL = `${receiver.url}/hook`
  const api = await startGateway(environment, ['--role', 'api'])
  const caller = { url: api.url, secret }

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
    const worker = await startGateway(environment, ['--role', 'worker'])
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
