import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { approved, payoutFile, upload } from '#test/batches.ts'
import { liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import type { BatchId } from './batch.ts'

const live = await liveGateway({ pace: 20, linesPerSecond: 5 })
await live.newProcess()
const { db, batches } = live
const wallet = 'WALLETA_SN_CASHIN'

const payouts = (count: number) =>
  Array.from({ length: count }, (_, index) => `77123${4000 + index};${500 + index};${wallet};Awa`)

/** Waits for the end of a batch; one that paused itself, as on a slow machine, goes on. */
const untilFinished = (id: BatchId) =>
  eventually('the batch is finished', async () => {
    const { state } = await batches.get(id)
    if (state === 'paused') await batches.resume({ ...id, actor: 'awa' })
    return state === 'finished'
  })

/** Has every process take the next step of each batch at once while it waits for something. */
async function inHaste<T>(waiting: Promise<T>): Promise<T> {
  let isOver = false
  const hurrying = (async () => {
    while (!isOver) await db`update batches set due_at = now() where due_at > now()`
  })()
  try {
    return await waiting
  } finally {
    isOver = true
    await hurrying
  }
}

describe('a batch', () => {
  it('is paid once when several processes run it at a time', async () => {
    const { clientId } = await live.newMerchant()
    const id = await approved(live, clientId, payouts(30))
    // Ends every lease at once: each process takes the batch while others work on it.
    await inHaste(untilFinished(id))
    const rows = await db<{ amount: number; count: number }>`
      select amount, count(*) as count from transactions where client_id = ${clientId}
      group by amount order by amount`
    assert.deepEqual(
      rows,
      payouts(30).map((_, index) => ({ amount: 500 + index, count: 1 })),
    )
    const steps = await batches.steps(id)
    assert.deepEqual(steps.map(({ to }) => to).slice(-2), ['running', 'finished'])
    await assertMoney(live)
  })

  it('looks claimed lines up, and sends none of them, while it is paused', async () => {
    const { clientId } = await live.newMerchant()
    // So many that some are left, also when this is read seconds later.
    const id = await approved(live, clientId, payouts(60))
    await eventually('some are paid', async () => (await batches.get(id)).paid > 0)
    await batches.pause({ ...id, actor: 'awa' })
    await eventually('none is open', async () => (await batches.get(id)).open === 0)
    const [paid] = await batches.lines(id, { after: 0, limit: 1, states: ['paid'] })
    const [unsent] = await batches.lines(id, { after: 0, limit: 1, states: ['waiting'] })
    assert.ok(paid !== undefined && unsent !== undefined)
    // As a process leaves them that dies before it has written down what it sent.
    await db`
      update batch_lines set state = 'sending', transaction_id = null
      where client_id = ${clientId} and batch_id = ${id.id}
        and line in (${paid.line}, ${unsent.line})`
    await db`update batches set due_at = now() where client_id = ${clientId} and id = ${id.id}`
    await eventually('it was looked at', async () => {
      const open = await batches.lines(id, { after: 0, limit: 9, states: ['sending', 'sent'] })
      return open.length === 0
    })
    const lines = await batches.lines(id, { after: 0, limit: 99 })
    assert.deepEqual(
      lines.find(({ line }) => line === paid.line),
      paid,
    )
    assert.deepEqual(
      lines.find(({ line }) => line === unsent.line),
      unsent,
    )
    await batches.resume({ ...id, actor: 'awa' })
    await inHaste(untilFinished(id))
    assert.equal((await batches.get(id)).paid, 60)
    await assertMoney(live)
  })

  it('is approved once when two people approve it at a time', async () => {
    const { clientId } = await live.newMerchant()
    const { id } = await upload(live, clientId, payoutFile(payouts(1)))
    await batches.propose({ clientId, id, actor: 'awa' })
    const outcomes = await Promise.allSettled(
      ['binta', 'coumba', 'dior'].map((actor) => batches.approve({ clientId, id, actor })),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    await untilFinished({ clientId, id })
    await assertMoney(live)
  })
})
