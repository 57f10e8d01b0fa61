import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { clientIdOf } from '#merchants/clients/clients.ts'
import { openClients } from '#merchants/clients/open.ts'
import { approved } from '#test/batches.ts'
import { killableGateway } from '#test/killable-gateway.ts'
import type { LabOrder } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { approveBatch, proposeBatch } from './decide.ts'
import { findBatch } from './store.ts'
import { uploadBatch } from './upload.ts'

const gateway = await killableGateway()
const { db, lab } = gateway
const parts = {
  db,
  clock,
  clients: openClients({
    db,
    clock,
    log: openLog('silent'),
    mode: 'sandbox',
    secretKey: Buffer.alloc(32),
  }),
  publicUrl: () => gateway.caller.url,
  hasSmtp: false,
}
const batches = {
  upload: (order: Parameters<typeof uploadBatch>[1]) => uploadBatch(parts, order),
  propose: (act: Parameters<typeof proposeBatch>[1]) => proposeBatch(parts, act),
  approve: (act: Parameters<typeof approveBatch>[1]) => approveBatch(parts, act),
}

// Paid, balance low, the answer lost, 503 first, the callback before the answer, a late answer.
const numbers = ['771234567', '770000001', '770000006', '770000009', '770000011', '770000012']
const kills = sized(1, 3, 10)
const count = sized(60, 300)

describe('a batch whose gateway is killed in the middle', () => {
  it('pays each line once', async () => {
    await gateway.start()
    const clientId = await clientIdOf(db, 'Boutique Démo')
    const lines = Array.from(
      { length: count },
      (_, index) => `${numbers[index % numbers.length]};${1000 + index};WALLETA_SN_CASHIN;Nom`,
    )
    const batch = await approved({ batches }, clientId, lines)
    const waiting = async () => (await findBatch(db, batch))?.waiting ?? 0
    /** Whether a line has a transaction and is not marked as sent: what a kill may do twice. */
    const isSending = async () => {
      const lines = await db`
        select from batch_lines l
        join transactions t on t.client_id = l.client_id
          and t.custom_data::jsonb ->> 'batchId' = l.batch_id::text
          and (t.custom_data::jsonb ->> 'line')::integer = l.line
        where l.batch_id = ${batch.id} and l.state = 'sending' limit 1`
      return lines.length > 0
    }
    for (let kill = 1; kill <= kills; kill += 1) {
      const left = Math.floor(count * (1 - kill / (kills + 1)))
      await eventually(
        `${left} lines wait, and others are being sent`,
        async () => (await waiting()) <= left && (await isSending()),
      )
      await gateway.kill()
      await gateway.expireLeases()
      await gateway.start()
    }
    await gateway.untilAllEnded()
    const finished = await eventually('the batch is finished', async () => {
      const one = await findBatch(db, batch)
      return one?.state === 'finished' && one
    })
    const failing = lines.filter((line) => line.startsWith('770000001')).length
    assert.deepEqual([finished.paid, finished.failed], [count - failing, failing])

    const rows = await db<{ line: number; amount: number; state: string; made: number }>`
      select l.line, l.amount, l.state, (
        select count(*) from transactions t where t.client_id = l.client_id
          and t.custom_data::jsonb ->> 'batchId' = l.batch_id::text
          and (t.custom_data::jsonb ->> 'line')::integer = l.line) as made
      from batch_lines l where l.batch_id = ${batch.id}`
    // Every amount is another: the lab's books tell how often each line was paid.
    const { orders } = (await (await fetch(`${lab.url}/lab/books`)).json()) as {
      orders: LabOrder[]
    }
    for (const { line, amount, state, made } of rows) {
      assert.equal(made, 1, `line ${line} has ${made} transactions`)
      const executed = orders
        .filter((order) => order.amount === amount)
        .reduce((sum, order) => sum + order.executed, 0)
      assert.equal(executed, state === 'paid' ? 1 : 0, `line ${line} is ${state}`)
    }
    await assertMoney({ db, lab })
  })
})
