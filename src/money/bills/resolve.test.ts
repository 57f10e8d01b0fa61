import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { readParked } from '#money/transactions/timeline-store.ts'
import { pay, payBody, postingsOf, topUpBody, unpaidOf } from '#test/bills.ts'
import { balance, call, contentsOf, liveGateway, post, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { chunksOf, csvOf, lineOf } from '#test/statement-maker.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, transactions, url } = gateway
const merchant = async () => ({ url, ...(await gateway.newMerchant()) })
type Caller = Awaited<ReturnType<typeof merchant>>
const codes = ['1111-2222-3333-4444-5555', '0000-9999-8888-7777-6666']

/** Starts a payment whose biller never reports the outcome; returns its id. */
async function stuck(caller: Caller, body: { reference_client?: string }): Promise<string> {
  await script(gateway, body.reference_client ?? '', [])
  const { transaction } = (await pay(caller, body)).body
  assert.equal(transaction.Status, 'PROCESSING')
  return transaction.transactionId
}

function resolve({ clientId }: Caller, id: string, as: 'success' | 'failed', token?: string) {
  const order = { clientId, id, as, reason: 'seen in their portal', actor: 'test' }
  return transactions.resolve({ ...order, ...(token === undefined ? {} : { token }) })
}

const tokenOf = async (caller: Caller, id: string) =>
  (await call(caller, `GET /api/v1/transaction/${id}`)).body.transaction.token

describe('a bill payment that an operator resolves', () => {
  it('gets the codes that the operator entered, stored sealed', async () => {
    const caller = await merchant()
    const receiver = await openReceiver()
    const id = await stuck(caller, topUpBody({ callBackURL: receiver.url }))
    const resolved = await resolve(caller, id, 'success', ` ${codes.join('\n')} `)
    assert.equal(resolved.status, 'SUCCESS')
    assert.equal(await tokenOf(caller, id), codes.join(' '))
    const [got] = await receiver.has(1)
    assert.equal(JSON.parse(got?.body ?? '{}').TOKEN, codes.join(' '))
    const all = JSON.stringify(await contentsOf(db))
    for (const code of codes) assert.ok(!all.includes(code))
  })

  it('may succeed without codes', async () => {
    const caller = await merchant()
    const id = await stuck(caller, topUpBody())
    await resolve(caller, id, 'success')
    assert.equal(await tokenOf(caller, id), undefined)
    const { body } = await call(caller, 'GET /api/v1/events')
    assert.deepEqual([body.events[0].event.STATUS, body.events[0].event.TOKEN], ['SUCCESS', ''])
  })

  it('gets no codes when it failed, or when it is no top-up', async () => {
    const caller = await merchant()
    const [meter, water] = [
      await stuck(caller, topUpBody()),
      await stuck(caller, payBody({ reference_client: '100000001' })),
    ]
    const refused = /Only a successful top-up of a meter has a recharge code/
    await assert.rejects(resolve(caller, meter, 'failed', '1'), refused)
    await assert.rejects(resolve(caller, water, 'success', '1'), refused)
    await resolve(caller, meter, 'failed', ' ')
    await resolve(caller, water, 'success')
  })

  it('as failed releases amount, fee and bill, once', async () => {
    const caller = await merchant()
    const before = await balance(caller)
    const [bill] = await unpaidOf(caller, '100000002')
    const body = payBody({ reference_client: '100000002' })
    const id = await stuck(caller, body)
    assert.ok((await balance(caller)) < before)
    assert.equal((await pay(caller, payBody({ reference_client: '100000002' }))).status, 400)
    await resolve(caller, id, 'failed')
    await assert.rejects(resolve(caller, id, 'failed'), /is final: FAILED/)
    assert.equal(await balance(caller), before)
    assert.deepEqual(await postingsOf(gateway, id), ['hold', 'release'])
    const next = await pay(caller, payBody({ reference_client: '100000002' }))
    assert.equal(next.body.transaction.referenceFacture, bill)
  })
})

describe('a top-up that only a statement proves', () => {
  // Nobody but the import asks the biller, until the test says so.
  before(() => gateway.sweeper.stop())

  const outage = (seconds: number) =>
    post(`${gateway.lab.url}/lab/outage`, { connector: 'top-up', mode: 'error', seconds })

  /** A top-up that its biller has paid out, which we do not know. */
  async function paidUnknown(caller: Caller, body: object): Promise<string> {
    await script(gateway, '200000001', [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }])
    const { transaction } = (await pay(caller, topUpBody(body))).body
    assert.equal(transaction.Status, 'PROCESSING')
    await post(`${gateway.lab.url}/lab/continue`, { number: '200000001' })
    return transaction.transactionId
  }

  async function importLine(id: string, change: object = {}) {
    const file = chunksOf(csvOf([await lineOf(db, id, change)]))
    const party = { provider: 'PREPAID', country: 'SN' }
    return gateway.recon.import({ ...party, name: `${id}.csv`, file, actor: 'test' })
  }

  const eventOf = async (caller: Caller) =>
    (await call(caller, 'GET /api/v1/events')).body.events[0].event

  it('gets its code from the biller, which is asked first', async () => {
    const caller = await merchant()
    const id = await paidUnknown(caller, {})
    const { matched, cases } = await importLine(id, { reference: `S-${id}` })
    assert.deepEqual([matched, cases], [1, 0])
    const token = await tokenOf(caller, id)
    assert.match(token, /\d{4}/)
    const { STATUS, TOKEN } = await eventOf(caller)
    assert.deepEqual([STATUS, TOKEN], ['SUCCESS', token])
  })

  it('ends without it while the biller cannot tell, and gets it later', async () => {
    const caller = await merchant()
    const receiver = await openReceiver()
    const id = await paidUnknown(caller, { callBackURL: receiver.url })
    await outage(600)
    const { ended, cases } = await importLine(id, { reference: `S-${id}` })
    assert.deepEqual([ended, cases], [1, 0])
    assert.equal(await tokenOf(caller, id), undefined)
    const again = await pay(caller, topUpBody({ externalTransactionId: 'x' }), {})
    assert.equal(again.status, 503)
    const openSince = new Date(0)
    const parked = async () =>
      (await readParked(db, { openSince, limit: 9 })).find((one) => one.id === id)?.cause
    await gateway.drive(id)
    assert.deepEqual([await parked(), await tokenOf(caller, id)], ['no_code', undefined])
    await outage(0)
    let token: string | undefined
    await eventually('the code', async () => {
      await gateway.drive(id)
      token = await tokenOf(caller, id)
      return token !== undefined
    })
    assert.equal(await parked(), undefined)
    const got = await receiver.has(2)
    assert.deepEqual(
      got.map(({ body }) => JSON.parse(body).TOKEN),
      ['', token],
    )
    // Another message: a receiver drops an id that it knows.
    const [first, second] = got.map(({ headers }) => String(headers['webhook-id']))
    assert.equal(second, `${first}.code`)
    const replayed = await call(caller, `POST /api/v1/events/${second}/replay`)
    assert.equal(replayed.status, 200, replayed.text)
    const [, , third] = await receiver.has(3)
    assert.equal(third?.headers['webhook-id'], second)
    assert.equal((await eventOf(caller)).TOKEN, token)
    const conflicts = await db`select from conflicts where transaction_id = ${id}`
    assert.equal(conflicts.length, 0)
    for (const code of token?.split(' ') ?? [])
      assert.ok(!JSON.stringify(await contentsOf(db)).includes(code))
  })

  it('may get it from an operator, and no second one', async () => {
    const caller = await merchant()
    const id = await stuck(caller, topUpBody())
    await importLine(id)
    const refused = /is final: SUCCESS/
    await assert.rejects(resolve(caller, id, 'failed'), refused)
    await assert.rejects(resolve(caller, id, 'success'), refused)
    await resolve(caller, id, 'success', codes[0])
    assert.equal(await tokenOf(caller, id), codes[0])
    assert.equal((await eventOf(caller)).TOKEN, codes[0])
    await assert.rejects(resolve(caller, id, 'success', codes[1]), refused)
    assert.deepEqual(await postingsOf(gateway, id), ['hold', 'capture'])
  })

  it('whose biller denies it later is a conflict, once', async () => {
    const caller = await merchant()
    await script(gateway, '200000003', [{ do: 'delay', ms: 600_000 }, { do: 'decline' }])
    const body = topUpBody({ reference_client: '200000003' })
    const { transactionId: id } = (await pay(caller, body)).body.transaction
    await importLine(id)
    await post(`${gateway.lab.url}/lab/continue`, { number: '200000003' })
    await gateway.drive(id)
    const conflicts = await db`
      select kind from conflicts where transaction_id = ${id}`
    assert.deepEqual(conflicts, [{ kind: 'contradiction' }])
    const [row] = await db`select status, due_at from transactions where id = ${id}`
    assert.deepEqual(row, { status: 'SUCCESS', due_at: null })
  })
})

it('keeps ledger and transactions consistent', () => assertMoney({ db }))
