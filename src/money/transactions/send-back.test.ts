import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { newId } from '#base/kit/ids.ts'
import { post } from '#money/ledger/post.ts'
import { explain } from '#money/ledger/postings.ts'
import { settle } from '#money/ledger/settlement.ts'
import { findTransactionBreaks } from '#operations/verify/transactions-store.ts'
import { eventsOf, linkOf, newLink, paymentsOf, untilSeen } from '#test/links.ts'
import {
  balance,
  call,
  collected,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { conflictsOf, inSuspense, suspenseOf } from '#test/suspense.ts'
import { eventually } from '#test/wait.ts'
import { findTransaction } from './store.ts'

const logged: { level: number; msg: string; transactionId?: string; kind?: string }[] = []
const log = pino({ level: 'warn' }, { write: (text: string) => void logged.push(JSON.parse(text)) })
const live = await liveGateway({ pace: 20, log })
const { db, transactions, connect, proxy, newMerchant, newProcess } = live
const { context } = transactions
const owner = connect({ asOwner: true })
const init = 'POST /api/v1/transaction/init'
const confirm = 'POST /api/v1/transaction/confirm/walletd'
const decline = [{ do: 'decline', reason: 'payee_refused' }, { do: 'callback' }]
const others = await Promise.all([newProcess(), newProcess()])
const processes = [transactions, ...others.map((one) => one.transactions)]
let numbers = 778_500_000

type Gateway = typeof live

const merchant = async (funds = 1000): Promise<Gateway> => ({
  ...live,
  ...(await newMerchant(funds)),
})

/** A number that no other test uses, whose payer pays when the test says so. */
async function slowNumber(...first: object[]): Promise<string> {
  numbers += 1
  const number = String(numbers)
  await script(live, number, [...first, ...paidWhenContinued])
  return number
}

/** A collection that an operator failed before its payer paid. */
async function latePayment(gateway: Gateway, change: object = {}, ...first: object[]) {
  const { clientId } = gateway
  const number = await slowNumber(...first)
  const sent = initBody({ number, ...change })
  const { body } = await call(gateway, init, sent)
  const id = String(body.transaction.transactionId)
  if (sent.serviceCode.startsWith('WALLETD'))
    await call(gateway, confirm, { transactionId: id, otp: '123456' })
  await transactions.resolve({ clientId, id, as: 'failed', reason: 'seen', actor: 'test' })
  await continuePayer(live, number)
  await inSuspense(db, gateway, 5000)
  return { clientId, id, number }
}

/** A collection whose payer paid another amount, and which an operator then failed. */
async function paidOtherAmount(gateway: Gateway, amount: number) {
  const { clientId } = gateway
  numbers += 1
  const number = String(numbers)
  await script(live, number, [{ do: 'soon' }, { do: 'succeed', amount }, { do: 'callback' }])
  const { body } = await call(gateway, init, initBody({ number }))
  const id = String(body.transaction.transactionId)
  await inSuspense(db, gateway, amount)
  await assert.rejects(sendBack({ clientId, id }), notFailed)
  await transactions.resolve({ clientId, id, as: 'failed', reason: 'x', actor: 'test' })
  return { clientId, id }
}

function sendBack(order: { clientId: number; id: string }, from = transactions) {
  return from.sendBack({ ...order, reason: 'the payer asked', actor: 'test' })
}

const refusedBy = (message: string) => ({ name: 'Refusal', kind: 'conflict', message })
const nothingLeft = refusedBy('Nothing is left to send back')
const tooMuch = refusedBy('More was received than requested: it must be sent back by hand')
const underWay = refusedBy('It is already being sent back')
const notFailed = refusedBy('Only a collection that failed can be sent back')

describe('late money is sent back', { concurrency: true }, () => {
  // service, how its provider sends money back
  for (const [serviceCode, operation] of [
    ['WALLETA_SN_CASHOUT', 'reverse'],
    ['WALLETB_SN_CASHOUT', 'reverse'],
    ['WALLETD_SN_CASHOUT', 'disburse'],
    ['WALLETF_CI_CASHOUT', 'disburse'],
    ['WALLETA_CM_CASHOUT', 'reverse'],
    ['WALLETF_CM_CASHOUT', 'disburse'],
  ] as const)
    it(`of ${serviceCode}, by a ${operation}, without a change of the balance`, async () => {
      const receiver = await openReceiver()
      const gateway = await merchant()
      const order = await latePayment(gateway, { serviceCode, callBackURL: `${receiver.url}/hook` })
      assert.deepEqual(await conflictsOf(db, order.id), ['late_success'])
      assert.equal(await balance(gateway), 1000)
      const refund = await sendBack(order)
      assert.deepEqual([refund.balanceBefore, refund.balanceAfter], [6000, 1000])
      assert.equal(await balance(gateway), 1000)
      assert.equal(await suspenseOf(db, order), 0)
      assert.equal(await until(gateway, refund.id, isEnd), 'SUCCESS')
      const [sent, ...more] = await ordersOf(gateway, refund.id)
      assert.deepEqual([sent?.operation, sent?.amount, sent?.executed], [operation, 5000, 1])
      assert.deepEqual(more, [])
      assert.equal(await balance(gateway), 1000)
      const [, webhook] = await receiver.has(2)
      const { id, transactionType, STATUS, AMOUNT } = JSON.parse(webhook?.body ?? '{}')
      assert.deepEqual(
        [id, transactionType, STATUS, AMOUNT],
        [refund.id, 'REFUND', 'SUCCESS', 5000],
      )
      const original = await findTransaction(db, order)
      assert.deepEqual([original?.status, original?.refunded], ['FAILED', 5000])
      await assert.rejects(sendBack(order), nothingLeft)
      const audit = await db<{ actor: string; details: { refundId: string } }>`
        select actor, details from audit_log
        where action = 'transaction.send_back' and client_id = ${order.clientId}`
      assert.deepEqual(
        audit.map(({ actor, details }) => [actor, details.refundId]),
        [['test', refund.id]],
      )
    })

  for (const serviceCode of ['WALLETA_SN_CASHOUT', 'WALLETF_CI_CASHOUT'])
    it(`of ${serviceCode}, although the provider's reference was unknown until then`, async () => {
      const gateway = await merchant()
      const order = await latePayment(gateway, { serviceCode }, { do: 'lose_answer' })
      const before = await findTransaction(db, order)
      assert.equal(before?.reference, null)
      const refund = await sendBack(order)
      assert.equal(await until(gateway, refund.id, isEnd), 'SUCCESS')
      assert.equal(await balance(gateway), 1000)
      assert.notEqual((await findTransaction(db, order))?.reference, null)
    })

  for (const isDeclined of [false, true])
    it(`once, of twelve concurrent requests${isDeclined ? ' after a decline' : ''}`, async () => {
      const gateway = await merchant(100_000)
      const order = await latePayment(gateway)
      if (isDeclined) {
        await script(gateway, order.number, decline)
        assert.equal(await until(gateway, (await sendBack(order)).id, isEnd), 'FAILED')
      }
      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, place) =>
          sendBack(order, processes[place % processes.length]),
        ),
      )
      const [done, ...more] = results.filter((result) => result.status === 'fulfilled')
      assert.deepEqual(more, [])
      assert.equal(await until(gateway, done?.value.id ?? '', isEnd), 'SUCCESS')
      const refunds = await db`select id from transactions where original_id = ${order.id}`
      assert.equal(refunds.length, isDeclined ? 2 : 1)
      assert.equal(await balance(gateway), 100_000)
    })

  it('again after the provider has declined; until then it is in the balance', async () => {
    const gateway = await merchant()
    const order = await latePayment(gateway)
    await script(gateway, order.number, decline)
    const declined = await sendBack(order)
    assert.equal(await until(gateway, declined.id, isEnd), 'FAILED')
    assert.equal(await balance(gateway), 6000)
    assert.equal((await findTransaction(db, order))?.refunded, 0)
    // It is not the merchant's to refund: it was never a payment of its customer.
    const target = `POST /api/v1/transaction/refund/${order.id}`
    assert.equal((await call(gateway, target, {})).body.code, 'REFUND_NOT_ALLOWED')
    const { clientId } = gateway
    const spending = { clientId, now: new Date(), actor: 'test' }
    await db.transaction((tx) => settle(tx, { ...spending, amount: -1500, ref: 'spent' }))
    await assert.rejects(sendBack(order), { name: 'Refusal', kind: 'insufficient_funds' })
    await db.transaction((tx) => settle(tx, { ...spending, amount: 1500, ref: 'earned' }))
    const again = await sendBack(order)
    assert.equal(await until(gateway, again.id, isEnd), 'SUCCESS')
    assert.equal(await balance(gateway), 1000)
    await assert.rejects(sendBack(order), nothingLeft)
  })

  it('only if it is not being sent back already', async () => {
    const gateway = await merchant()
    const order = await latePayment(gateway)
    await script(gateway, order.number, paidWhenContinued)
    const { id } = await sendBack(order)
    await assert.rejects(sendBack(order), underWay)
    await continuePayer(live, order.number)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })

  it('in the amount that was paid, where that differs from the order', async () => {
    const gateway = await merchant()
    const order = await paidOtherAmount(gateway, 4950)
    const refund = await sendBack(order)
    assert.equal(refund.amount, 4950)
    assert.equal(await until(gateway, refund.id, isEnd), 'SUCCESS')
    assert.equal(await balance(gateway), 1000)
  })
})

describe('nothing is sent back', { concurrency: true }, () => {
  it('of a collection that succeeded or is open, nor of a payout', async () => {
    const { clientId } = live
    const { body } = await call(live, init, initBody({ number: '770000004' }))
    const payout = initBody({ serviceCode: 'WALLETA_SN_CASHIN', number: '770000001' })
    const { transaction } = (await call(live, init, payout)).body
    await until(live, transaction.transactionId, isEnd)
    for (const id of [
      await collected(live),
      body.transaction.transactionId,
      transaction.transactionId,
    ])
      await assert.rejects(sendBack({ clientId, id }), notFailed)
  })

  it('of a failed collection without late money, nor of an unknown one', async () => {
    const { clientId } = live
    const { body } = await call(live, init, initBody({ number: '770000001' }))
    const id = body.transaction.transactionId
    await until(live, id, isEnd)
    await assert.rejects(sendBack({ clientId, id }), nothingLeft)
    await assert.rejects(sendBack({ clientId, id: newId(new Date()) }), { kind: 'not_found' })
    await assert.rejects(sendBack({ clientId: clientId + 1, id }), { kind: 'not_found' })
  })

  it('of a payment above the ordered amount', async () => {
    const order = await paidOtherAmount(await merchant(), 5100)
    await assert.rejects(sendBack(order), tooMuch)
    assert.equal(await suspenseOf(db, order), 5100)
  })
})

describe('late money for a link', { concurrency: true }, () => {
  /** A link whose first payment the provider reported as refused, and then as paid. */
  async function lateLinkPayment(gateway: Gateway, between: (id: string) => Promise<unknown>) {
    const { clientId } = gateway
    const receiver = await openReceiver()
    const id = await newLink(gateway, { ItemPrice: 5000, callBackURL: `${receiver.url}/link` })
    const phone = await slowNumber()
    await live.links.checkout.pay(id, { serviceCode: 'WALLETA_SN_CASHOUT', phone })
    const [first] = await paymentsOf(db, id)
    assert.ok(first !== undefined)
    const found = await findTransaction(db, { clientId, id: first.id })
    const bound = found && (await context.bind(found))
    assert.ok(bound !== undefined)
    const { capability } = bound
    const outcome = {
      kind: 'declined',
      cause: 'payer_refused',
      reason: 'x',
      reference: null,
    } as const
    await context.record({
      clientId,
      transactionId: first.id,
      attemptId: first.attemptId,
      source: 'query',
      outcome,
      capability,
    })
    await untilSeen(live, id, 'choose')
    await between(id)
    const before = await linkOf(db, id)
    const events = await eventsOf(db, id)
    await continuePayer(live, phone)
    await inSuspense(db, gateway, 5000)
    assert.deepEqual(await linkOf(db, id), before)
    assert.deepEqual(await eventsOf(db, id), events)
    assert.deepEqual(await conflictsOf(db, first.id), ['late_success'])
    return { id, first, receiver, clientId }
  }

  const payAgain = async (id: string) => {
    await live.links.checkout.pay(id, { serviceCode: 'WALLETF_CI_CASHOUT', phone: '771234567' })
    await untilSeen(live, id, 'paid')
  }

  // what happened to the link in between, its status, the balance of the merchant
  const table: [name: string, (id: string) => Promise<unknown>, string, number][] = [
    ['nothing', async () => {}, 'PENDING', 1000],
    ['another payment', payAgain, 'SUCCESS', 5900],
    ['the payer gave up', (id) => live.links.checkout.giveUp(id), 'FAILED', 1000],
  ]
  for (const [name, between, status, money] of table)
    it(`(${name} in between) leaves the link alone, logs an error and is sent back`, async () => {
      const gateway = await merchant()
      const { id, first, receiver, clientId } = await lateLinkPayment(gateway, between)
      assert.equal(await balance(gateway), money)
      const alarm = logged.find(({ transactionId }) => transactionId === first.id)
      assert.deepEqual(
        [alarm?.level, alarm?.kind, alarm?.msg],
        [50, 'late_success', 'a conflict needs a person'],
      )
      const refund = await sendBack({ clientId, id: first.id })
      assert.equal(await until(gateway, refund.id, isEnd), 'SUCCESS')
      const link = await linkOf(db, id)
      assert.deepEqual([link.status, await balance(gateway)], [status, money])
      await eventually('the webhook of the refund', () =>
        receiver.got.some(({ body }) => JSON.parse(body).id === refund.id),
      )
      // A repeated report of the same success adds nothing to suspense.
      const found = await findTransaction(db, { clientId, id: first.id })
      assert.ok(found !== undefined)
      await transactions.requery(found)
      assert.equal(await suspenseOf(db, { clientId }), 0)
      if (status === 'PENDING') await payAgain(id)
    })
})

it('late money is sent back once the provider can be reached again', async () => {
  const gateway = await merchant()
  const order = await latePayment(gateway, { serviceCode: 'WALLETF_CI_CASHOUT' })
  await proxy.refuseConnections()
  const refund = await sendBack(order)
  assert.equal(await suspenseOf(db, order), 0)
  await proxy.acceptConnections()
  assert.equal(await until(gateway, refund.id, isEnd), 'SUCCESS')
  assert.equal((await ordersOf(gateway, refund.id)).length, 1)
  assert.equal(await balance(gateway), 1000)
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))

describe('the verification of transactions finds', () => {
  it('explained money that was never in suspense, or more than was', async () => {
    const gateway = await merchant()
    const order = await latePayment(gateway)
    const found = await findTransaction(db, order)
    const { clientId } = order
    const now = new Date()
    const ref = found?.attemptId ?? ''
    const wrong = [
      explain({ clientId, id: newId(now), ref: 'nowhere' }, 700),
      explain({ clientId, id: newId(now), ref }, 5001),
    ]
    await db.transaction((tx) => post(tx, wrong, now))
    const breaks = await findTransactionBreaks(db)
    assert.deepEqual(
      breaks.map(({ where, what }) => `${where} ${what}`).sort(),
      [
        `attempt ${ref} was explained, and leaves -1 in suspense`,
        'attempt nowhere was explained, and leaves -700 in suspense',
      ].sort(),
    )
  })

  it('more money sent back than was received', async () => {
    const gateway = await merchant()
    const order = await paidOtherAmount(gateway, 4950)
    const { id } = await sendBack(order)
    await until(gateway, id, isEnd)
    await owner`update transactions set amount = 5000 where id = ${id}`
    await owner`update transactions set refunded = 5000 where id = ${order.id}`
    const breaks = await findTransactionBreaks(db)
    assert.deepEqual(
      breaks.flatMap(({ where, what }) => (where.includes(order.id) ? [what] : [])),
      ['has 5000 refunded of at most 4950'],
    )
  })
})
