import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findTransactionBreaks } from '#operations/verify/transactions-store.ts'
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
  post,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { conflictsOf, inSuspense, suspenseOf } from '#test/suspense.ts'
import { eventually } from '#test/wait.ts'
import { findTransaction } from './store.ts'

const live = await liveGateway({ pace: 20 })
const { db, lab, transactions, connect, newMerchant, proxy, url } = live
const { context } = transactions
const owner = connect({ asOwner: true })
const init = 'POST /api/v1/transaction/init'
const paid = [{ do: 'soon' }, { do: 'succeed' }, { do: 'callback' }]
const expired = [{ do: 'decline', reason: 'expired' }, { do: 'callback' }]
let numbers = 778_700_000

// A repeated order is another order, of every protocol.
await post(`${lab.url}/lab/idempotency`, { enabled: false })

type Gateway = typeof live

const merchant = async (): Promise<Gateway> => ({ ...live, ...(await newMerchant(1000)) })

/** A number that no other test uses. */
function newNumber(): string {
  numbers += 1
  return String(numbers)
}

/** Sends the order of a transaction once more under the same id, behind the gateway's back. */
async function orderAgain({ clientId }: Gateway, id: string): Promise<void> {
  const transaction = await findTransaction(db, { clientId, id })
  const bound = transaction && (await context.bind({ ...transaction, reference: null }))
  assert.equal((await bound?.connector.submit(bound.attempt))?.kind, 'accepted')
}

/** Refunds all that is left of a collection, as its merchant. */
async function refunded(gateway: Gateway, id: string): Promise<string> {
  const { body } = await call(gateway, `POST /api/v1/transaction/refund/${id}`, {})
  return until(gateway, body.refund.refundId, isEnd)
}

/** Sends one payment back that came too much. */
async function sentBack(gateway: Gateway, id: string): Promise<string> {
  const { clientId } = gateway
  const refund = await transactions.sendBack({ clientId, id, reason: 'twice', actor: 'test' })
  assert.deepEqual([refund.amount, refund.originalId], [5000, id])
  return until(gateway, refund.id, isEnd)
}

describe('a second payment of an order that succeeded', { concurrency: true }, () => {
  // service, how its provider reports: by a signed callback, or by one that is then queried
  for (const serviceCode of [
    'WALLETB_SN_CASHOUT',
    'WALLETA_SN_CASHOUT',
    'WALLETF_CI_CASHOUT',
    'WALLETF_CM_CASHOUT',
  ])
    it(`(${serviceCode}) is a conflict, in suspense, and can be sent back`, async () => {
      const gateway = await merchant()
      const id = await collected(gateway, { serviceCode, number: newNumber() })
      const first = await findTransaction(db, { ...gateway, id })
      await orderAgain(gateway, id)
      await inSuspense(db, gateway, 5000)
      assert.deepEqual(await conflictsOf(db, id), ['late_success'])
      assert.equal(await balance(gateway), 1000 + 4900)
      const orders = await ordersOf(gateway, id)
      assert.deepEqual(
        orders.map(({ executed }) => executed),
        [1, 1],
      )
      assert.equal(await sentBack(gateway, id), 'SUCCESS')
      assert.deepEqual([await suspenseOf(db, gateway), await balance(gateway)], [0, 5900])
      // Its own payment is as it was, and its merchant can still refund all of it.
      const now = await findTransaction(db, { ...gateway, id })
      assert.deepEqual([now?.reference, now?.refunded], [first?.reference, 0])
      await assert.rejects(sentBack(gateway, id), /Nothing is left to send back/)
      assert.equal(await refunded(gateway, id), 'SUCCESS')
      assert.equal(await balance(gateway), 900)
      // A repeated report of either payment changes nothing.
      assert.ok(now !== undefined)
      await transactions.requery(now)
      assert.equal(await suspenseOf(db, gateway), 0)
    })

  it('that is a payout is missing in suspense', async () => {
    const gateway = { ...live, ...(await newMerchant(20_000)) }
    const body = initBody({ serviceCode: 'WALLETF_CI_CASHIN', number: newNumber() })
    const id = String((await call(gateway, init, body)).body.transaction.transactionId)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    await orderAgain(gateway, id)
    await inSuspense(db, gateway, -5000)
    assert.equal(await balance(gateway), 20_000 - 5100)
  })

  it('and a third are conflicts of their own, sent back one after the other', async () => {
    const gateway = await merchant()
    const change = { serviceCode: 'WALLETB_SN_CASHOUT', number: newNumber() }
    const id = await collected(gateway, change)
    await Promise.all([orderAgain(gateway, id), orderAgain(gateway, id)])
    await inSuspense(db, gateway, 10_000)
    assert.deepEqual(await conflictsOf(db, id), ['late_success', 'late_success'])
    assert.equal(await sentBack(gateway, id), 'SUCCESS')
    assert.equal(await suspenseOf(db, gateway), 5000)
    // Declined by the provider, it is the merchant's until it is sent back again.
    await script(gateway, change.number, [{ do: 'decline' }])
    assert.equal(await sentBack(gateway, id), 'FAILED')
    assert.deepEqual([await suspenseOf(db, gateway), await balance(gateway)], [0, 10_900])
    assert.equal(await sentBack(gateway, id), 'SUCCESS')
    assert.equal(await balance(gateway), 5900)
  })
})

describe('of two sessions of one order', () => {
  it('both count when they are paid after it has failed', async () => {
    const gateway = await merchant()
    const { clientId } = gateway
    const number = newNumber()
    for (const steps of [paidWhenContinued, paidWhenContinued]) await script(gateway, number, steps)
    const body = initBody({ serviceCode: 'WALLETB_SN_CASHOUT', number })
    const id = String((await call(gateway, init, body)).body.transaction.transactionId)
    await orderAgain(gateway, id)
    await transactions.resolve({ clientId, id, as: 'failed', reason: 'seen', actor: 'test' })
    await continuePayer(gateway, number)
    await inSuspense(db, gateway, 10_000)
    assert.equal(await sentBack(gateway, id), 'SUCCESS')
    assert.equal(await sentBack(gateway, id), 'SUCCESS')
    assert.deepEqual([await suspenseOf(db, gateway), await balance(gateway)], [0, 1000])
    assert.equal((await findTransaction(db, { clientId, id }))?.refunded, 10_000)
  })

  it('the end of the other does not end it', async () => {
    const gateway = await merchant()
    const number = newNumber()
    await script(gateway, number, [{ do: 'delay', ms: 600_000 }, ...paid.slice(1)])
    const body = initBody({ serviceCode: 'WALLETB_SN_CASHOUT', number })
    const { transaction } = (await call(gateway, init, body)).body
    const id = String(transaction.transactionId)
    await script(gateway, number, [{ do: 'soon' }, ...expired])
    await orderAgain(gateway, id)
    await eventually('the end of the other is reported', async () => {
      const told =
        await db`select from evidence where transaction_id = ${id} and outcome = 'declined'`
      return told.length > 0
    })
    assert.equal((await findTransaction(db, { ...gateway, id }))?.status, 'PENDING')
    await fetch(`${transaction.cashout_url}/approve`, { method: 'POST', redirect: 'manual' })
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  })

  it('a search finds both, and the second is in suspense', async () => {
    const gateway = await merchant()
    const number = newNumber()
    await script(gateway, number, [{ do: 'lose_answer' }, ...paid])
    // Nothing but the search tells.
    await post(`${lab.url}/lab/webhooks`, { url: null })
    const body = initBody({ serviceCode: 'WALLETB_SN_CASHOUT', number })
    const id = String((await call(gateway, init, body)).body.transaction.transactionId)
    await owner`update transactions set due_at = null where id = ${id}`
    await orderAgain(gateway, id)
    await eventually('both are paid', async () => {
      const orders = await ordersOf(gateway, id)
      return orders.length === 2 && orders.every(({ executed }) => executed === 1)
    })
    await gateway.drive(id)
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    await post(`${lab.url}/lab/webhooks`, { url: `${url}/callbacks/checkout-session` })
    assert.deepEqual([await suspenseOf(db, gateway), await balance(gateway)], [5000, 5900])
    assert.deepEqual(await conflictsOf(db, id), ['late_success'])
    assert.equal(await sentBack(gateway, id), 'SUCCESS')
  })
})

it('a search for airtime that finds two waits for both, and suspends one', async () => {
  const gateway = { ...live, ...(await newMerchant(20_000)) }
  const number = newNumber()
  await script(gateway, number, [{ do: 'lose_answer' }, { do: 'succeed' }])
  const body = initBody({ serviceCode: 'OPERATOR1_SN_AIRTIME', number })
  const id = String((await call(gateway, init, body)).body.transaction.transactionId)
  await owner`update transactions set due_at = null where id = ${id}`
  await orderAgain(gateway, id)
  const orders = await eventually('both are executed', async () => {
    const own = await ordersOf(gateway, id)
    return own.length === 2 && own.every(({ executed }) => executed === 1) && own
  })
  // The lab's own search shows the last order only.
  const found = (status: string) =>
    orders.map(({ reference: transactionId, amount }, place) => ({
      transactionId,
      status: place === 0 ? 'SUCCESSFUL' : status,
      deliveredAmount: amount,
      deliveredAmountCurrencyCode: 'XOF',
    }))
  const statusAfter = async (status: string) => {
    const answer = JSON.stringify({ content: found(status) })
    proxy.answerInstead = (name) => (name.includes('/reports/') ? [200, answer] : undefined)
    await gateway.drive(id)
    proxy.answerInstead = () => undefined
    return (await findTransaction(db, { ...gateway, id }))?.status
  }
  assert.equal(await statusAfter('PROCESSING'), 'PROCESSING')
  assert.equal(await statusAfter('SUCCESSFUL'), 'SUCCESS')
  assert.deepEqual([await suspenseOf(db, gateway), await balance(gateway)], [-5000, 20_000 - 5050])
})

describe('what the provider was paid', () => {
  it('is what merchants, fees and suspense have of it', async () => {
    const books = (await (await fetch(`${lab.url}/lab/books`)).json()) as {
      orders: { provider: string; country: string; operation: string; paid: number }[]
    }
    const incoming = new Map<string, number>()
    for (const { provider, country, operation, paid: amount } of books.orders) {
      const account = `provider:${provider}:${country}`
      const sign = operation === 'collect' ? 1 : -1
      incoming.set(account, (incoming.get(account) ?? 0) + sign * amount)
    }
    const rows = await db<{ account: string; amount: number }>`
      select account, -sum(amount)::bigint as amount from ledger_entries
      where account like 'provider:%' group by account`
    assert.deepEqual(new Map(rows.map(({ account, amount }) => [account, amount])), incoming)
  })

  it('agrees with transactions, ledger and lab', () => assertMoney(live))

  it('is missed by the verification where only evidence has it', async () => {
    const gateway = await merchant()
    const id = await collected(gateway)
    const found = await findTransaction(db, { ...gateway, id })
    await owner`
      insert into evidence (client_id, transaction_id, attempt_id, at, source, outcome, details)
      select client_id, transaction_id, attempt_id, at, 'callback', outcome,
        details || '{"reference": "another"}'
      from evidence where transaction_id = ${id} and outcome = 'succeeded'`
    assert.ok(found !== undefined)
    assert.deepEqual(
      (await findTransactionBreaks(db)).map(({ where, what }) => `${where} ${what}`),
      [`transaction ${id} was reported as paid 2 times, and the ledger has 1 of them`],
    )
  })
})
