import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pay, payBody, topUpBody } from '#test/bills.ts'
import {
  balance,
  call,
  collected,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  script,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { mortalDb } from '#test/mortal-db.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, newMerchant, connect, url } = gateway
const owner = connect({ asOwner: true })
const funds = 5_000_000
type Caller = Awaited<ReturnType<typeof merchant>>
const merchant = async () => ({ url, ...(await newMerchant()) })

// Carried out, but its answer is lost; not found twice, and a repetition is refused.
const executed = [
  { do: 'hide', times: 2 },
  { do: 'decline_repeats', reason: 'insufficient_funds' },
  { do: 'succeed' },
  { do: 'lose_answer' },
]
// Declined in truth, and every repetition of it too.
const declined = executed.map((step) =>
  step.do === 'succeed' ? { do: 'decline', reason: 'insufficient_funds' } : step,
)

let numbers = 774_100_000

interface Sent {
  id: string
  caller: Caller
  before: number
}

type Send = (steps: object[]) => Promise<Sent>

const init =
  (serviceCode: string): Send =>
  async (steps) => {
    const caller = await merchant()
    numbers += 1
    await script(gateway, String(numbers), steps)
    const body = initBody({ serviceCode, number: String(numbers) })
    const answer = await call(caller, 'POST /api/v1/transaction/init', body)
    assert.equal(answer.status, 201, answer.text)
    return { id: answer.body.transaction.transactionId, caller, before: funds }
  }

const payBill =
  (customer: string, body: () => object): Send =>
  async (steps) => {
    const caller = await merchant()
    await script(gateway, customer, steps)
    const { status, body: answer, text } = await pay(caller, body())
    assert.equal(status, 201, text)
    return { id: answer.transaction.transactionId, caller, before: funds }
  }

const refund =
  (serviceCode: string): Send =>
  async (steps) => {
    const caller = await merchant()
    numbers += 1
    const number = String(numbers)
    const original = await collected({ ...gateway, ...caller }, { serviceCode, number })
    const before = await balance({ ...gateway, ...caller })
    await script(gateway, number, steps)
    const { status, body, text } = await call(
      caller,
      `POST /api/v1/transaction/refund/${original}`,
      {},
    )
    assert.equal(status, 201, text)
    return { id: body.refund.refundId, caller, before }
  }

/** What is sent, and how. */
const orders: [string, Send][] = [
  ...['WALLETA_SN_CASHOUT', 'WALLETB_SN_CASHOUT', 'WALLETD_SN_CASHOUT', 'WALLETF_CI_CASHOUT'].map(
    (code): [string, Send] => [code, init(code)],
  ),
  ...['WALLETA_SN_CASHIN', 'WALLETB_CI_CASHIN', 'WALLETD_SN_CASHIN', 'WALLETF_CI_CASHIN'].map(
    (code): [string, Send] => [code, init(code)],
  ),
  ['OPERATOR1_SN_AIRTIME', init('OPERATOR1_SN_AIRTIME')],
  ['WATER_SN_BILL', payBill('100000001', () => payBody({ reference_client: '100000001' }))],
  ['PREPAID_SN_BILL', payBill('200000001', () => topUpBody({ reference_client: '200000001' }))],
  ['a refund on WALLETA, by a reversal', refund('WALLETA_SN_CASHOUT')],
  ['a refund on WALLETF, by a payout', refund('WALLETF_CI_CASHOUT')],
]

/** Has the sweeper's step done again, as if so many seconds had passed; returns the status. */
async function look(id: string, seconds = 10): Promise<string> {
  await owner`
    update transactions
    set version = version + 1, created_at = created_at - ${seconds} * interval '1 second',
      attempted_at = attempted_at - ${seconds} * interval '1 second'
    where id = ${id} and completed_at is null`
  await gateway.drive(id)
  const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
  return row?.status ?? ''
}

async function evidenceOf(id: string): Promise<string[]> {
  const rows = await db<{ what: string }>`
    select concat_ws(' ', source, outcome) as what from evidence
    where transaction_id = ${id} order by id`
  return rows.map(({ what }) => what)
}

describe('an order that was carried out, and whose repetition is declined', () => {
  for (const [name, send] of orders)
    it(`succeeds by a query, and its money moves once: ${name}`, async () => {
      const { id, caller } = await send(executed)
      await eventually('it ends', async () => isEnd(await look(id)))
      const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
      assert.equal(row?.status, 'SUCCESS')
      const all = await ordersOf(gateway, id)
      assert.deepEqual(
        all.map((order) => order.executed),
        [1],
      )
      const seen = await evidenceOf(id)
      assert.ok(seen.filter((one) => one.startsWith('answer')).length > 1, seen.join(', '))
      assert.ok((await balance({ ...gateway, ...caller })) !== funds)
    })

  it('stays open where the provider can be asked for nothing: a refund on WALLETB', async () => {
    const { id, caller, before } = await refund('WALLETB_SN_CASHOUT')(executed)
    for (let times = 0; times < 3; times += 1) assert.equal(await look(id), 'PROCESSING')
    assert.equal(await balance({ ...gateway, ...caller }), before - 5000)
    const order = (await ordersOf(gateway, id)).find(({ operation }) => operation === 'reverse')
    assert.equal(order?.executed, 1)
  })
})

describe('an order that was declined, and whose answer was lost', () => {
  for (const [name, send] of orders)
    it(`fails by a query: ${name}`, async () => {
      const { id, caller, before } = await send(declined)
      await eventually('it ends', async () => isEnd(await look(id)))
      const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
      assert.equal(row?.status, 'FAILED')
      assert.equal(await balance({ ...gateway, ...caller }), before)
    })

  it('fails when it is not found for long enough, where none was entered', async () => {
    const caller = await merchant()
    const body = initBody({ serviceCode: 'WALLETA_SN_CASHIN' })
    const isOrder = (request: string) => request.startsWith('POST') && /WALLETA/.test(request)
    let sent = 0
    gateway.proxy.answerInstead = (request) => {
      if (!isOrder(request)) return undefined
      sent += 1
      if (sent === 1) return [502, '{}']
      return [400, '{"errorCode":"insufficientFunds"}']
    }
    const answer = await call(caller, 'POST /api/v1/transaction/init', body)
    const id = answer.body.transaction.transactionId
    assert.equal(await look(id, 0), 'PROCESSING')
    assert.ok(sent > 1)
    assert.equal(await look(id, 300), 'PROCESSING')
    await eventually('it ends', async () => isEnd(await look(id, 601)))
    gateway.proxy.answerInstead = () => undefined
    assert.equal(await balance({ ...gateway, ...caller }), funds)
    assert.deepEqual(await ordersOf(gateway, id), [])
  })
})

it('a refusal that is recorded late ends no order that another process has repeated', async () => {
  const mortal = mortalDb(connect())
  const suspended = await gateway.newProcess(mortal.db)
  const caller = await merchant()
  numbers += 1
  const body = initBody({ serviceCode: 'WALLETA_SN_CASHIN', number: String(numbers) })
  let sent = 0
  gateway.proxy.answerInstead = (request) => {
    if (!request.startsWith('POST') || !request.includes('WALLETA')) return undefined
    sent += 1
    return sent === 1 ? [400, '{"errorCode":"insufficientFunds"}'] : undefined
  }
  // The commit of the order is its first, that of the answer its second.
  mortal.meets('stops before', 2)
  const to = { ...caller, url: suspended.url }
  const begun = call(to, 'POST /api/v1/transaction/init', body)
  await mortal.untilStopped()
  const [row] = await db<{ id: string }>`
    select id from transactions where external_id = ${body.externalTransactionId}`
  const id = row?.id ?? ''
  await look(id)
  assert.equal(sent, 2)
  mortal.wake()
  assert.equal((await begun).status, 201)
  await eventually('it ends', async () => isEnd(await look(id)))
  gateway.proxy.answerInstead = () => undefined
  const [order, ...more] = await ordersOf(gateway, id)
  assert.deepEqual([order?.executed, more.length], [1, 0])
  assert.equal(await balance({ ...gateway, ...caller }), funds - 5000 - 100)
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
