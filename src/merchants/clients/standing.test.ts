import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { approved } from '#test/batches.ts'
import { payBody, topUpBody } from '#test/bills.ts'
import { signedInAs } from '#test/dashboard.ts'
import { getLink, linkBody, newLink } from '#test/links.ts'
import {
  balance,
  call,
  collected,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  paidWhenContinued,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { changeClient } from './clients.ts'
import { mayBegin } from './standing.ts'
import type { MerchantStatus } from './statuses.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, links, batches } = gateway

const init = 'POST /api/v1/transaction/init'
const pay = 'POST /api/v1/billing/pay'
const shop = { name: 'Shop', commercialName: 'Chez Awa', countries: ['SN'] }

// what is begun, the request, whether an account that waits for its activation may, in a sandbox
const beginnings: [name: string, target: string, body: () => object, mayTry: boolean][] = [
  ['a collection', init, () => initBody(), true],
  ['a collection by code', init, () => initBody({ serviceCode: 'WALLETD_SN_CASHOUT' }), true],
  ['a payout', init, () => initBody({ serviceCode: 'WALLETB_SN_CASHIN' }), false],
  ['a recharge', init, () => initBody({ serviceCode: 'OPERATOR1_SN_AIRTIME' }), false],
  ['a water bill', pay, () => payBody(), false],
  ['a top-up', pay, () => topUpBody(), false],
  ['a link', getLink, () => linkBody(), false],
  ['a shop', 'POST /api/v1/sub-merchant', () => shop, false],
]

async function become(
  { clientId, secret }: { clientId: number; secret: string },
  merchantStatus: MerchantStatus,
): Promise<void> {
  await changeClient({ db, clock }, { id: clientId, change: { merchantStatus }, actor: 'test' })
  await eventually('both caches know the status', async () => {
    const { body } = await call({ url, secret }, getLink, {})
    const contract = await links.context.clients.contractOf(clientId)
    const isRefused = body.code === 'MERCHANT_NOT_ACTIVE'
    return contract.merchantStatus === merchantStatus && isRefused === (merchantStatus !== 'active')
  })
}

describe('a suspended merchant', () => {
  it('begins nothing new, whatever else is wrong with the request', async () => {
    const merchant = { url, ...(await gateway.newMerchant()) }
    await become(merchant, 'suspended')
    const before = await balance(merchant)
    for (const [name, target, body] of beginnings)
      for (const sent of [body(), { ...body(), amount: 'x', callBackURL: 5, name: 5 }]) {
        const answer = await call(merchant, target, sent)
        assert.deepEqual([answer.status, answer.body.code], [403, 'MERCHANT_NOT_ACTIVE'], name)
        assert.deepEqual(answer.body.message, ['Your merchant account is not active'])
      }
    const person = await signedInAs({ ...gateway, ...merchant }, 'owner')
    const wanted = { kind: 'payout', service: 'WALLETA_SN_CASHIN', to: '771234567', amount: '500' }
    const review = `/dashboard/pay?${new URLSearchParams({ ...wanted, step: 'review' }).toString()}`
    assert.match((await person.get(review)).visible, /Your merchant account is not active/)
    assert.equal(await balance(merchant), before)
    const rows = await db`select from external_ids where client_id = ${merchant.clientId}`
    assert.equal(rows.length, 0)
  })

  it('sends no line of a batch, and the batch waits', async () => {
    const merchant = await gateway.newMerchant()
    const { clientId } = merchant
    await become(merchant, 'suspended')
    const { id } = await approved(gateway, clientId, ['771234567;500;WALLETA_SN_CASHIN;Awa'])
    await eventually(
      'it waits',
      async () => (await batches.find({ clientId, id }))?.state === 'paused',
    )
    const rows = await db`select from transactions where client_id = ${clientId}`
    assert.equal(rows.length, 0)
    await become(merchant, 'active')
    await batches.resume({ clientId, id, actor: 'awa' })
    await eventually('it is sent', async () => {
      const [row] = await db<{ status: string }>`
        select status from transactions where client_id = ${clientId}`
      return row?.status === 'SUCCESS'
    })
  })

  it('takes no payment through a link; what is under way goes on to its end', async () => {
    const merchant = { url, ...(await gateway.newMerchant()) }
    const [idle, busy] = [await newLink(merchant), await newLink(merchant)]
    const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771112233' }
    await script(gateway, order.phone, paidWhenContinued, true)
    assert.deepEqual(await links.checkout.pay(busy, order), { kind: 'started' })
    const open = await call(merchant, init, initBody({ number: order.phone }))
    await become(merchant, 'suspended')
    assert.deepEqual(await links.checkout.pay(idle, order), {
      kind: 'refused',
      problems: ['service'],
    })
    await continuePayer(gateway, order.phone)
    assert.equal(await until(merchant, open.body.transaction.transactionId, isEnd), 'SUCCESS')
    await eventually('the link is paid', async () => {
      const { status, body } = await call(merchant, `GET /api/v1/transaction/merchant/${busy}`)
      assert.equal(status, 200)
      return body.transaction.Status === 'SUCCESS'
    })
    const { body } = await call(merchant, 'GET /api/v1/events')
    assert.deepEqual(
      body.events.map((one: { event: { STATUS: string } }) => one.event.STATUS),
      ['SUCCESS', 'SUCCESS'],
    )
  })

  it('reads everything and refunds what it collected', async () => {
    const merchant = { ...gateway, ...(await gateway.newMerchant()) }
    const paid = await collected(merchant)
    const { body: made } = await call(merchant, 'POST /api/v1/sub-merchant', shop)
    await become(merchant, 'suspended')
    for (const target of [
      `transaction/${paid}`,
      'transaction',
      'transaction/merchant',
      'sub-merchant',
      `sub-merchant/${made.data.subMerchantId}`,
      'api-services/balance',
      'api-services/services',
      'events',
    ])
      assert.equal((await call(merchant, `GET /api/v1/${target}`)).status, 200, target)
    const refund = await call(merchant, `POST /api/v1/transaction/refund/${paid}`, { amount: 1000 })
    assert.equal(refund.status, 201, refund.text)
    assert.equal(await until(merchant, refund.body.refund.refundId, isEnd), 'SUCCESS')
  })
})

it('a merchant that waits for its activation tries collections in a sandbox, no more', async () => {
  const merchant = { ...gateway, ...(await gateway.newMerchant()) }
  await become(merchant, 'pending')
  for (const [name, target, body, mayTry] of beginnings) {
    const answer = await call(merchant, target, body())
    assert.equal(answer.status, mayTry ? 201 : 403, `${name}: ${answer.text}`)
    if (mayTry) await until(merchant, answer.body.transaction.transactionId, (one) => one !== '')
  }
  await collected(merchant)
})

describe('a merchant account', () => {
  const operations = ['CASHOUT', 'CASHIN', 'AIRTIME', 'BILL', null] as const
  // status, mode, what may begin
  const table: [MerchantStatus, 'sandbox' | 'live', readonly (string | null)[]][] = [
    ['active', 'sandbox', operations],
    ['active', 'live', operations],
    ['pending', 'sandbox', ['CASHOUT']],
    ['pending', 'live', []],
    ['suspended', 'sandbox', []],
    ['suspended', 'live', []],
  ]
  for (const [status, mode, allowed] of table)
    it(`that is ${status} may begin ${allowed.join(', ') || 'nothing'} (${mode})`, () => {
      assert.deepEqual(
        operations.filter((one) => mayBegin(status, mode, one)),
        allowed,
      )
    })
})

it('and the money of all is where it belongs', async () => {
  await eventually('every payment has ended but those that wait for a code', async () => {
    const rows = await db`
      select from transactions where completed_at is null and service_code not like 'WALLETD%'`
    return rows.length === 0
  })
  await assertMoney(gateway)
})
