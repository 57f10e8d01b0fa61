import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkOf, newLink, paymentsOf } from '../../test/links.ts'
import { call, initBody, liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/receiver.ts'
import type { Outcome } from '../providers/contract.ts'
import type { Heard } from './apply.ts'
import { findTransaction } from './store.ts'

const live = await liveGateway({ pace: 20 })
const { db, clientId, newProcess } = live
const other = await newProcess()

const silent = '770000004'

/** A payment that the first process has a copy of, and news of it. */
async function known() {
  const told = await call(live, 'POST /api/v1/transaction/init', initBody({ number: silent }))
  return newsOf(told.body.transaction.transactionId as string)
}

/** A payment of a link that the first process has a copy of, and news of it. */
async function knownOfLink() {
  const link = await newLink(live)
  await live.links.checkout.pay(link, { serviceCode: 'WALLETA_SN_CASHOUT', phone: silent })
  const [payment] = await paymentsOf(db, link)
  const id = payment?.id ?? ''
  await eventually('it is taken', async () => {
    return (await findTransaction(db, { clientId, id }))?.attemptState === 'taken'
  })
  return { link, ...(await newsOf(id)) }
}

async function newsOf(id: string): Promise<{ id: string; heard(outcome: Outcome): Heard }> {
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

  it('do so for a payment of a link, which somebody may have gone on with', async () => {
    // Several times: whether payment or link is answered for first can be a matter of chance.
    for (let times = 0; times < 5; times += 1) {
      const { link, heard } = await knownOfLink()
      // Who has just ended another one asks for nothing more before it looks at the link.
      const { heard: heardOfAnother } = await knownOfLink()
      await live.engine.record(heardOfAnother(declined))
      await other.engine.record(heard(declined))
      const { transaction } = await live.engine.record(heard(declined))
      assert.equal(transaction.status, 'FAILED')
      assert.equal((await linkOf(db, link)).status, 'PENDING')
    }
  })

  it('leave the money in order', () => assertMoney(live))
})
