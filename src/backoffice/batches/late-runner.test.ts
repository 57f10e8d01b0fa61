import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { openLog } from '#base/log/log.ts'
import { openDomain } from '#domain.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders } from '#money/providers/open.ts'
import type { Transactions } from '#money/transactions/open.ts'
import { approved } from '#test/batches.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { assertMoney } from '#test/money.ts'
import type { BatchId } from './batch.ts'
import type { BatchContext } from './context.ts'
import { runBatch } from './run.ts'

type Init = Transactions['init']

// Nothing runs in the background: each step is taken by the test. Orders reach no provider.
const { db } = await testDatabase()
const log = openLog('silent')
const bindings = sandboxBindings('http://127.0.0.1:9')
const providers = openProviders({ bindings, log, isPaused: () => false })
after(() => providers.close())
const config = readConfig({ MODE: 'sandbox' })
const publicUrl = () => 'http://127.0.0.1:9'
const domain = openDomain({ config, db, clock, log, providers, publicUrl, payUrl: publicUrl })
const { batches, transactions } = domain

/** A process that runs batches, and makes payouts in a way of its own. */
function runner(init: Init): BatchContext {
  const room = { ...domain, transactions: { ...transactions, init } }
  return { ...room, db, clock, log, publicUrl, hasSmtp: false, linesPerSecond: 5 }
}

/** A runner that stops at its payout until it is let go on. */
function heldRunner(begin: Init) {
  const reached = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const context = runner(async (intent) => {
    reached.resolve()
    await free.promise
    return begin(intent)
  })
  return { context, isHeld: reached.promise, goOn: () => free.resolve() }
}

async function newBatch(): Promise<BatchId> {
  const clientId = await newClient(db, clock, 100_000)
  const change = { isEnabled: true }
  await db.transaction((tx) =>
    changeTerms(tx, { clock }, { clientId, serviceCode: 'all', change, actor: 'test' }),
  )
  return approved({ batches }, clientId, ['771234567;500;WALLETA_SN_CASHIN;Awa'])
}

const refusing: Init = async () => {
  throw new Refusal('validation_failed', reason('This line is not good', {}))
}

async function stateOf(id: BatchId) {
  const [line] = await batches.lines(id, { after: 0, limit: 1 })
  const payouts = await db`select from transactions where client_id = ${id.clientId}`
  return [line?.state, payouts.length]
}

describe('a runner that goes on after its lease', () => {
  it('refuses no line that another one is sending', async () => {
    const id = await newBatch()
    const late = heldRunner(refusing)
    const next = heldRunner(transactions.init)
    const runs = [runBatch(late.context, id)]
    await late.isHeld
    runs.push(runBatch(next.context, id))
    await next.isHeld
    late.goOn()
    await runs[0]
    assert.deepEqual(await stateOf(id), ['sending', 0])
    next.goOn()
    await Promise.all(runs)
    assert.deepEqual(await stateOf(id), ['sent', 1])
  })

  it('has made a payout, which the next one finds though it would refuse it now', async () => {
    const id = await newBatch()
    const reached = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const late = runner(async (intent) => {
      const made = await transactions.init(intent)
      reached.resolve()
      await free.promise
      return made
    })
    const run = runBatch(late, id)
    await reached.promise
    await runBatch(runner(refusing), id)
    assert.deepEqual(await stateOf(id), ['sent', 1])
    free.resolve()
    await run
    assert.deepEqual(await stateOf(id), ['sent', 1])
  })

  it('makes its payout although the next one has refused it: the payout is followed', async () => {
    const id = await newBatch()
    const late = heldRunner(transactions.init)
    const run = runBatch(late.context, id)
    await late.isHeld
    await runBatch(runner(refusing), id)
    assert.deepEqual(await stateOf(id), ['refused', 0])
    late.goOn()
    await run
    assert.deepEqual(await stateOf(id), ['sent', 1])
    const { state, dueAt } = await batches.get(id)
    assert.deepEqual([state, dueAt !== null], ['finished', true])
    const [payout] = await db<{ id: string }>`
      select id from transactions where client_id = ${id.clientId}`
    const ending = { clientId: id.clientId, id: payout?.id ?? '', reason: 'seen', actor: 'awa' }
    await transactions.resolve({ ...ending, as: 'failed' })
    await runBatch(runner(transactions.init), id)
    assert.deepEqual(await stateOf(id), ['failed', 1])
    assert.equal((await batches.get(id)).dueAt, null)
  })
})

it('keeps ledger, payouts and batches consistent', () => assertMoney({ db }))
