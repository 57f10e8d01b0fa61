import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { usualCapability } from '#money/providers/capabilities.ts'
import type { Outcome } from '#money/providers/contract.ts'
import { holdLong, untilBlocked } from '#test/database.ts'
import {
  balance,
  call,
  type Gateway,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { conflictsOf, suspenseOf } from '#test/suspense.ts'
import { eventually } from '#test/wait.ts'
import { closeConflict } from './close-conflict.ts'
import type { OutcomeReport } from './decide.ts'
import { drive } from './drive.ts'
import { draft } from './intents.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { findTransaction } from './store.ts'
import { driveOne } from './sweep.ts'
import type { Transaction, TransactionId } from './transaction.ts'

const live = await liveGateway({ pace: 20 })
const { db, connect, newMerchant, newProcess } = live
const owner = connect({ asOwner: true })
const processes = [live, await newProcess(), await newProcess()]
const { context, resolve } = live.transactions
const other = processes[1] ?? live
const rounds = Array.from({ length: sized(12, 60) }, (_, round) => round)
const payout = parseServiceCode('WALLETA_SN_CASHIN') as Service
let numbers = 778_600_000

const merchant = async () => ({ ...live, ...(await newMerchant(10_000)) })
const failed = ({ clientId, id }: TransactionId) =>
  ({ clientId, id, as: 'failed', reason: 'not at the provider', actor: 'awa' }) as const
const succeeded = ({ clientId, id }: TransactionId) =>
  ({ clientId, id, as: 'success', reason: 'in their portal', actor: 'awa' }) as const

async function stateOf(id: TransactionId): Promise<Transaction> {
  const found = await findTransaction(db, id)
  assert.ok(found !== undefined)
  return found
}

function reportOf({ clientId, id, attemptId }: Transaction, outcome: Outcome): OutcomeReport {
  const head = { clientId, transactionId: id, attemptId, capability: usualCapability }
  return { ...head, outcome, source: outcome.kind === 'succeeded' ? 'callback' : 'answer' }
}

/** A payout whose order provably never left, and which is therefore due to be ordered anew. */
async function unsentPayout({ clientId }: Gateway): Promise<Transaction> {
  const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
  const names = { callbackUrl: null, successUrl: '', failureUrl: '', payeeName: 'Shop' }
  const order = { clientId, keyId: key?.id ?? '', externalId: null, amount: 1000, fee: 20 }
  numbers += 1
  const phone = String(numbers)
  const drafted = draft(
    { ...order, ...names, phone, service: payout, operation: 'CASHIN' },
    context.clock.now(),
  )
  const recorded = await context.recordIntent(drafted)
  assert.equal(recorded.kind, 'recorded')
  await context.record(reportOf(drafted.transaction, { kind: 'not_sent', reason: 'refused' }))
  return stateOf(drafted.transaction)
}

/** A collection that the provider has taken. */
async function taken(gateway: Gateway): Promise<Transaction> {
  numbers += 1
  const number = String(numbers)
  await script(live, number, [])
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', initBody({ number }))
  return stateOf({ clientId: gateway.clientId, id: String(body.transaction.transactionId) })
}

describe('a payout that is said to have failed', () => {
  it('is not ordered anew by a process that read it before', async () => {
    const gateway = await merchant()
    const known = await unsentPayout(gateway)
    await resolve(failed(known))
    await drive(other.transactions.context, known)
    assert.deepEqual(await ordersOf(gateway, known.id), [])
    assert.equal((await stateOf(known)).attemptNumber, known.attemptNumber)
    assert.equal(await balance(gateway), 10_000)
  })

  it('is refused while a process may be sending its order', async () => {
    const gateway = await merchant()
    const begun = await context.beginAttempt(await unsentPayout(gateway))
    assert.ok(begun !== undefined)
    await assert.rejects(resolve(failed(begun)), /is being sent right now/)
    await owner`update transactions set due_at = now() where id = ${begun.id}`
    assert.equal(await until(gateway, begun.id, isEnd), 'SUCCESS')
  })

  it('is either ended or paid, while sweepers take it up', async () => {
    for (const round of rounds) {
      const gateway = await merchant()
      const id = await unsentPayout(gateway)
      const driving = processes.map(
        (one) => () => driveOne(one.transactions.context, id).then(() => undefined),
      )
      const resolving = () => resolve(failed(id)).catch(() => undefined)
      const work = round % 2 === 0 ? [resolving, ...driving] : [...driving, resolving]
      const done = await Promise.all(work.map((one) => one()))
      const resolved = done.find((one) => one !== undefined)
      const status = await until(gateway, id.id, isEnd)
      const [ended, left] = resolved ? ['FAILED', 10_000] : ['SUCCESS', 8980]
      assert.deepEqual([status, await balance(gateway)], [ended, left])
      const { attemptNumber } = await stateOf(id)
      assert.equal((await ordersOf(gateway, id.id)).length, attemptNumber - 1)
      // What the provider had taken just before may be said to have failed; nothing is sent after.
      if (resolved !== undefined) assert.equal(attemptNumber, resolved.attemptNumber)
      if (resolved?.attemptNumber === 2)
        await eventually('it is known to be paid', async () =>
          (await conflictsOf(db, id.id)).includes('late_success'),
        )
    }
  })

  it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
})

// Reports that the lab has not made: its books are not compared after these.
describe('a collection that is said to have succeeded', () => {
  const otherAmount = (round: number): Outcome => {
    const reference = `P${round}`
    return { kind: 'succeeded', reference, amount: 4000, currency: 'XOF', tokens: [] }
  }

  it('is refused when another amount is reported while the row is waited for', async () => {
    const gateway = await merchant()
    const known = await taken(gateway)
    assert.notEqual(known.reference, null)
    let resolving: Promise<unknown> = Promise.resolve()
    const { afterCommit } = await db.transaction(async (tx) => {
      await holdLong(tx)
      const recorded = await recordOutcomes(tx, [reportOf(known, otherAmount(0))], context)
      resolving = other.transactions.resolve(succeeded(known))
      resolving.catch(() => {})
      await untilBlocked(owner)
      return recorded
    })
    afterCommit()
    await assert.rejects(resolving, /The provider reported a different amount/)
    assert.deepEqual([await suspenseOf(db, gateway), await balance(gateway)], [4000, 10_000])
    await resolve(failed(known))
  })

  it('is booked once, to the merchant or to suspense, when it is reported meanwhile', async () => {
    for (const round of rounds) {
      const gateway = await merchant()
      const known = await taken(gateway)
      const report = () => other.transactions.context.record(reportOf(known, otherAmount(round)))
      const saying = () => resolve(succeeded(known))
      const work = round % 2 === 0 ? [saying, report] : [report, saying]
      const results = await Promise.allSettled(work.map((one) => one()))
      const isResolved = results[round % 2]?.status === 'fulfilled'
      const { status } = await stateOf(known)
      const sums = [await suspenseOf(db, gateway), await balance(gateway)]
      assert.deepEqual(await conflictsOf(db, known.id), ['wrong_amount'])
      if (isResolved) assert.deepEqual([status, ...sums], ['SUCCESS', 0, 14_900])
      else {
        assert.deepEqual([status, ...sums], ['PROCESSING', 4000, 10_000])
        await resolve(failed(known))
      }
    }
  })

  it('or failed, is ended once by several operators', async () => {
    for (const round of rounds) {
      const gateway = await merchant()
      const known = await taken(gateway)
      const results = await Promise.allSettled(
        processes.map(({ transactions }, place) =>
          transactions.resolve((place + round) % 2 === 0 ? succeeded(known) : failed(known)),
        ),
      )
      assert.equal(results.filter((one) => one.status === 'fulfilled').length, 1)
      const { status } = await stateOf(known)
      assert.equal(await balance(gateway), status === 'SUCCESS' ? 14_900 : 10_000)
    }
  })

  it('leaves a conflict that one of several operators closes', async () => {
    const gateway = await merchant()
    const known = await taken(gateway)
    await context.record(reportOf(known, otherAmount(0)))
    const [conflict] = await db<{ id: string }>`
      select id from conflicts where transaction_id = ${known.id}`
    const order = { id: conflict?.id ?? '', reason: 'dealt with' }
    const results = await Promise.allSettled(
      ['awa', 'binta', 'coumba'].map((actor) =>
        closeConflict({ db, clock: context.clock }, { ...order, actor }),
      ),
    )
    assert.equal(results.filter((one) => one.status === 'fulfilled').length, 1)
    const audit = await db`select from audit_log where action = 'conflict.close'`
    assert.equal(audit.length, 1)
    await resolve(failed(known))
  })

  it('has only the late payment sent back that was seen, while another comes', async () => {
    const late = (reference: string): Outcome => {
      return { kind: 'succeeded', reference, amount: 5000, currency: 'XOF', tokens: [] }
    }
    for (const round of rounds) {
      const gateway = await merchant()
      const known = await taken(gateway)
      await resolve(failed(known))
      await context.record(reportOf(known, late('first')))
      const expected = { amount: 5000, reference: 'first', from: 'suspense' } as const
      const { clientId, id } = known
      const order = { clientId, id, reason: 'seen', actor: 'awa', expected }
      const report = () => other.transactions.context.record(reportOf(known, late('second')))
      const sending = () => live.transactions.sendBack(order)
      const work = round % 2 === 0 ? [sending, report] : [report, sending]
      const results = await Promise.allSettled(work.map((one) => one()))
      const isSent = results[round % 2]?.status === 'fulfilled'
      assert.equal(await suspenseOf(db, gateway), isSent ? 5000 : 10_000)
      const refunds = await db<{ reference: string }>`
        select late_reference as reference from transactions where original_id = ${id}`
      assert.deepEqual(refunds, isSent ? [{ reference: 'first' }] : [])
    }
  })

  it('keeps ledger and transactions consistent', () => assertMoney({ db }))
})
