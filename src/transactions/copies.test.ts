import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call, initBody, liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import type { Outcome } from '../providers/contract.ts'
import type { Heard } from './apply.ts'
import { findTransaction } from './store.ts'

const live = await liveGateway({ pace: 20 })
const { db, clientId, newProcess } = live
const other = await newProcess()

/** A payment that the first process has a copy of, and news of it. */
async function known(): Promise<{ id: string; heard(outcome: Outcome): Heard }> {
  const silent = initBody({ number: '770000004' })
  const { body } = await call(live, 'POST /api/v1/transaction/init', silent)
  const id = body.transaction.transactionId as string
  const transaction = await findTransaction(db, { clientId, id })
  const bound = transaction && (await live.engine.bind(transaction))
  assert.ok(bound)
  const { attemptId } = transaction
  const { capability } = bound
  return {
    id,
    heard: (outcome) => ({
      clientId,
      transactionId: id,
      attemptId,
      source: 'query',
      outcome,
      capability,
    }),
  }
}

const pending: Outcome = { kind: 'pending', reference: 'late' }
const declined: Outcome = { kind: 'declined', cause: 'declined', reason: 'no', reference: null }

describe('news of a payment that another process has ended meanwhile', () => {
  it('are kept, and change nothing', async () => {
    const { id, heard } = await known()
    await other.engine.record(heard(declined))
    const ended = await findTransaction(db, { clientId, id })
    assert.equal(ended?.status, 'FAILED')
    const { transaction } = await live.engine.record(heard(pending))
    assert.equal(transaction.status, 'FAILED')
    assert.deepEqual(await findTransaction(db, { clientId, id }), ended)
    const rows = await db<{ outcome: string }>`
      select outcome from evidence where transaction_id = ${id} order by id`
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['accepted', 'declined', 'pending'],
    )
  })

  it('do so also when they come together with news of others', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, known))
    const [first, ...others] = all
    assert.ok(first)
    await other.engine.record(first.heard(declined))
    const answers = await Promise.all(all.map(({ heard }) => live.engine.record(heard(pending))))
    assert.deepEqual(
      answers.map(({ transaction }) => [transaction.status, transaction.reference]),
      [['FAILED', answers[0]?.transaction.reference], ...others.map(() => ['PENDING', 'late'])],
    )
    assert.notEqual(answers[0]?.transaction.reference, 'late')
  })
  it('leave the money in order', () => assertMoney(live))
})
