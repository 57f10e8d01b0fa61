import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pay, payBody, postingsOf, topUpBody, unpaidOf } from '../../test/bills.ts'
import { balance, call, contentsOf, liveGateway, script } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { openReceiver } from '../../test/receiver.ts'

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
    await assert.rejects(resolve(caller, id, 'failed'), /FAILED for good/)
    assert.equal(await balance(caller), before)
    assert.deepEqual(await postingsOf(gateway, id), ['hold', 'release'])
    const next = await pay(caller, payBody({ reference_client: '100000002' }))
    assert.equal(next.body.transaction.referenceFacture, bill)
  })
})

it('keeps ledger and transactions consistent', () => assertMoney({ db }))
