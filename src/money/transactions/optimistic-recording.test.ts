import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outcome } from '#money/providers/contract.ts'
import { linkOf, newLink, paymentsOf } from '#test/links.ts'
import { call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import type { OutcomeReport } from './decide.ts'
import { countOtpTry, countWrongCode } from './otp-store.ts'
import { findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

const live = await liveGateway({ pace: 20 })
const { db, clientId, newProcess } = live
const { context } = live.transactions
const { context: otherContext } = (await newProcess()).transactions

const silent = '770000004'

/** A payment that the first process has in its cache, and a maker of reports on it. */
async function cachedPayment() {
  const answer = await call(live, 'POST /api/v1/transaction/init', initBody({ number: silent }))
  return reportsOn(answer.body.transaction.transactionId as string)
}

/** A payment of a link that the first process has in its cache, and a maker of reports on it. */
async function cachedLinkPayment() {
  const link = await newLink(live)
  await live.links.checkout.pay(link, { serviceCode: 'WALLETA_SN_CASHOUT', phone: silent })
  const [payment] = await paymentsOf(db, link)
  const id = payment?.id ?? ''
  await eventually('it is taken', async () => {
    return (await findTransaction(db, { clientId, id }))?.attemptState === 'taken'
  })
  return { link, ...(await reportsOn(id)) }
}

async function reportsOn(
  id: string,
): Promise<{ id: string; report(outcome: Outcome): OutcomeReport }> {
  const transaction = await findTransaction(db, { clientId, id })
  const bound = transaction && (await context.bind(transaction))
  assert.ok(bound)
  const { attemptId } = transaction
  const { capability } = bound
  return {
    id,
    report: (outcome) => ({
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

describe('a report on a cached payment that another process has ended', () => {
  it('is kept as evidence and does not change the payment', async () => {
    const { id, report } = await cachedPayment()
    await otherContext.record(report(declined))
    const ended = await findTransaction(db, { clientId, id })
    assert.equal(ended?.status, 'FAILED')
    const { transaction } = await context.record(report(pending))
    assert.equal(transaction.status, 'FAILED')
    assert.deepEqual(await findTransaction(db, { clientId, id }), ended)
    const rows = await db<{ outcome: string }>`
      select outcome from evidence where transaction_id = ${id} order by id`
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['accepted', 'declined', 'pending'],
    )
  })

  it('does not change it either when recorded in one group with reports on others', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, cachedPayment))
    const [first, ...others] = all
    assert.ok(first)
    await otherContext.record(first.report(declined))
    const answers = await Promise.all(all.map(({ report }) => context.record(report(pending))))
    assert.deepEqual(
      answers.map(({ transaction }) => [transaction.status, transaction.reference]),
      [['FAILED', answers[0]?.transaction.reference], ...others.map(() => ['PENDING', 'late'])],
    )
    assert.notEqual(answers[0]?.transaction.reference, 'late')
  })

  it('does not change the link that the payment was made through', async () => {
    // Repeated, because the order in which payment and link are locked can vary.
    for (let times = 0; times < 5; times += 1) {
      const { link, report } = await cachedLinkPayment()
      // After this the process reads nothing before it locks the link.
      const { report: reportOfAnother } = await cachedLinkPayment()
      await context.record(reportOfAnother(declined))
      await otherContext.record(report(declined))
      const { transaction } = await context.record(report(declined))
      assert.equal(transaction.status, 'FAILED')
      assert.equal((await linkOf(db, link)).status, 'PENDING')
    }
  })
})

describe('a column that another process writes without counting the version', () => {
  it('keeps the tries of one-time codes when a report is decided on a cached row', async () => {
    const { id, report } = await cachedPayment()
    await countOtpTry(db, { clientId, id }, 5)
    await countWrongCode(db, { clientId, id })
    await context.record(report(pending))
    const { otpTries, otpWrong, reference } = await read(id)
    assert.deepEqual([otpTries, otpWrong, reference], [1, 1, 'late'])
  })

  it('keeps the due date that a report has set when parking is based on an older row', async () => {
    const { id, report } = await cachedPayment()
    const outdated = await read(id)
    await otherContext.record(report(pending))
    await context.park(outdated)
    assert.notEqual((await read(id)).dueAt, null)
    await context.park(await read(id))
    assert.equal((await read(id)).dueAt, null)
  })
})

async function read(id: string): Promise<Transaction> {
  const found = await findTransaction(db, { clientId, id })
  assert.ok(found !== undefined)
  return found
}

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
