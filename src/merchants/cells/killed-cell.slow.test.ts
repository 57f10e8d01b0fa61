import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { untilServed } from '#test/haproxy.ts'
import { testInstallation } from '#test/installation.ts'
import { freePort } from '#test/listen.ts'
import { call, initBody } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { missing } from '#test/needs.ts'
import { startGateway } from '#test/program.ts'
import { startProxy } from '#test/proxies.ts'
import { eventually } from '#test/wait.ts'

const payers = 8
const init = 'POST /api/v1/transaction/init'

/** A cell as a program of its own, which can be killed and comes back at the same address. */
async function openCell(name: string, publicUrl: string) {
  const { db, lab, environment, expireLeases, untilAllEnded } = await testInstallation()
  const port = await freePort()
  const settings = {
    ...environment,
    CELL: name,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXIES: '127.0.0.1',
  }
  let running = await startGateway(settings)
  after(() => running.stop('SIGKILL'))
  const secret = await db.transaction(async (tx) => {
    const clientId = await clientIdOf(tx, 'Boutique Démo')
    const order = { clientId, label: 'load', ratePerMinute: 1_000_000, actor: 'test' }
    return (await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret
  })
  return {
    name,
    db,
    lab,
    secret,
    server: `127.0.0.1:${port}`,
    untilAllEnded,
    kill: () => running.stop('SIGKILL'),
    comeBack: async () => {
      await expireLeases()
      running = await startGateway(settings)
    },
  }
}

type Cell = Awaited<ReturnType<typeof openCell>>

/** Pays without a pause until it is stopped; what was acknowledged, and what was answered else. */
function load(url: string, { secret }: Cell) {
  const acknowledged: string[] = []
  const failed: string[] = []
  let isOver = false
  const lines = Array.from({ length: payers }, async () => {
    while (!isOver) {
      const answer = await call({ url, secret }, init, initBody()).catch(() => undefined)
      if (answer === undefined) failed.push('no answer')
      else if (answer.status === 201)
        acknowledged.push(String(answer.body.transaction.transactionId))
      else failed.push(`${answer.status} ${answer.text}`)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(lines)
  }
  after(stop)
  return { acknowledged, failed, stop }
}

test(
  'a cell behind HAProxy that is killed under load disturbs no other, and loses nothing',
  { skip: missing('haproxy') },
  killUnderLoad,
)

async function killUnderLoad(): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const [first, second] = [await openCell('c1', url), await openCell('c2', url)]
  const cells = [first, second].map(({ name, server }) => ({ cell: name, servers: [server] }))
  await startProxy(cells, { port })
  const [healthy, hurt] = [load(url, first), load(url, second)]
  await eventually(
    'payments in both cells',
    () => Math.min(healthy.acknowledged.length, hurt.acknowledged.length) > 100,
  )
  await second.kill()
  const before = healthy.acknowledged.length
  await eventually(
    'payments beside a dead cell',
    () => hurt.failed.length > 0 && healthy.acknowledged.length > before + 200,
  )
  await second.comeBack()
  await untilServed(url, 'c2')
  const since = hurt.acknowledged.length
  await eventually('payments after its return', () => hurt.acknowledged.length > since + 100)
  await Promise.all([healthy.stop(), hurt.stop()])
  assert.deepEqual(healthy.failed, [])
  // HAProxy closes a kept connection without an answer when the server of a reused one dies.
  for (const one of hurt.failed) assert.match(one, /^no answer$|^50[234] .*SERVICE_UNAVAILABLE/)
  await assertNothingLost(first, healthy.acknowledged)
  await assertNothingLost(second, hurt.acknowledged)
}

async function assertNothingLost(cell: Cell, acknowledged: string[]): Promise<void> {
  await cell.untilAllEnded()
  const found = await cell.db`select id from transactions where id = any(${acknowledged})`
  assert.equal(found.length, acknowledged.length)
  await assertMoney(cell)
}
