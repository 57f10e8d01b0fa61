import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { testInstallation } from '#test/installation.ts'
import { freePort } from '#test/listen.ts'
import { call, initBody } from '#test/live.ts'
import { openLoad } from '#test/load.ts'
import { assertMoney } from '#test/money.ts'
import { missing } from '#test/needs.ts'
import { startGateway } from '#test/program.ts'
import { startProxy } from '#test/proxies.ts'
import { eventually } from '#test/wait.ts'

const init = 'POST /api/v1/transaction/init'
const balance = 'GET /api/v1/api-services/balance'

/** The processes that answered: eight characters of a request id, after its time, are theirs. */
function processesOf(answers: { headers: Headers }[]): Set<string> {
  return new Set(answers.map(({ headers }) => String(headers.get('x-request-id')).slice(12, 20)))
}

function countStatuses(answers: { status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

// The tests build on each other, in this order.
describe('two processes behind the proxy', { skip: missing('haproxy') }, async () => {
  if (missing('haproxy')) return
  const { db, lab, environment, expireLeases, untilAllEnded } = await testInstallation()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const open = async () => {
    const own = { ...environment, PORT: String(await freePort()) }
    return { ...own, PUBLIC_URL: url, TRUSTED_PROXIES: '127.0.0.1' }
  }
  const environments = [await open(), await open()] as const
  const gateways = [await startGateway(environments[0]), await startGateway(environments[1])]
  after(() => Promise.all(gateways.map((one) => one.stop('SIGKILL'))))
  const servers = environments.map(({ PORT }) => `127.0.0.1:${PORT}`)
  await startProxy([{ cell: null, servers }], { port })
  const caller = { url, secret: 'sk_sandbox_demo_enterprise' }

  const bothServe = () => {
    const seen = new Set<string>()
    return eventually('both serve', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(caller, balance)))
      for (const one of processesOf(answers)) seen.add(one)
      return processesOf(answers).size === 2
    })
  }

  it('create one transaction from 200 equal requests that both get at once (M2)', async () => {
    await bothServe()
    const body = initBody()
    const answers = await Promise.all(Array.from({ length: 200 }, () => call(caller, init, body)))
    assert.deepEqual(countStatuses(answers), { 201: 1, 409: 199 })
    assert.equal(processesOf(answers).size, 2)
    assert.equal(new Set(answers.map((one) => one.body.transaction.transactionId)).size, 1)
  })

  it('fail no request while each of them is stopped and started again (O1)', async () => {
    const load = openLoad(caller)
    await load.reaches(50)
    for (const [index, own] of environments.entries()) {
      const { code } = (await gateways[index]?.stop()) ?? {}
      assert.equal(code, 0)
      await load.reaches(50)
      gateways[index] = await startGateway(own)
      await bothServe()
    }
    const { refused, lost } = await load.end()
    assert.deepEqual({ refused, lost }, { refused: [], lost: [] })
  })

  it('lose no acknowledged payment when one is killed (M8)', async () => {
    const load = openLoad(caller)
    await load.reaches(50)
    await gateways[0]?.stop('SIGKILL')
    await load.reaches(200)
    const { acknowledged, refused, lost } = await load.end()
    // Of what the killed one had begun nobody can tell an answer.
    for (const one of refused) assert.match(one, /^502 .*SERVICE_UNAVAILABLE/)
    for (const one of lost) assert.match(one, /ECONNRESET|UND_ERR_SOCKET/)
    const rows = await db<{ id: string; amount: number }>`select id, amount from transactions`
    const amounts = new Map(rows.map(({ id, amount }) => [id, amount]))
    assert.ok(acknowledged.size > 200)
    for (const [id, amount] of acknowledged) assert.equal(amounts.get(id), amount, id)
  })

  it('are balanced in the end', async () => {
    await gateways[1]?.stop()
    await expireLeases()
    const last = await startGateway(environments[0])
    await untilAllEnded()
    await last.stop()
    await assertMoney({ db, lab })
  })
})
