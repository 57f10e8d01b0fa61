import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endLifetime, eventsOf, linkBody, linkOf, newLink, untilSeen } from '#test/links.ts'
import {
  type Answer,
  balance,
  call,
  isEnd,
  liveGateway,
  ordersOf,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const { db, connect, newMerchant } = live
const { checkout } = live.links
const owner = connect({ asOwner: true })
const push = 'WALLETA_SN_CASHOUT'
let numbers = 778_400_000

type Gateway = typeof live

const merchant = async (funds?: number): Promise<Gateway> => ({
  ...live,
  ...(await newMerchant(funds)),
})

/** A paid link of 7500, by a number that no other test uses. */
async function paidLink(gateway: Gateway, change: object = {}, serviceCode = push) {
  numbers += 1
  const phone = String(numbers)
  const sent = linkBody(change)
  const id = await newLink(gateway, sent)
  await checkout.pay(id, { serviceCode, phone })
  if (serviceCode.startsWith('WALLETD')) await checkout.confirm(id, '123456')
  await untilSeen(live, id, 'paid')
  return { id, externalId: sent.externalTransactionId, phone }
}

function refund(gateway: Gateway, id: string, body: object = {}): Promise<Answer> {
  return call(gateway, `POST /api/v1/transaction/refund/${id}`, body)
}

async function ended(gateway: Gateway, { status, text, body }: Answer): Promise<string> {
  assert.equal(status, 201, text)
  return until(gateway, body.refund.refundId, isEnd)
}

function assertNotAllowed({ status, text, body }: Answer, message: string): void {
  assert.equal(status, 400, text)
  assert.deepEqual([body.code, body.message], ['REFUND_NOT_ALLOWED', [message]])
}

const notCollected = 'Only a successful collection can be refunded'

describe('a paid link is refunded', { concurrency: true }, () => {
  // wallet, how its provider sends money back
  for (const [serviceCode, operation] of [
    ['WALLETA_SN_CASHOUT', 'reverse'],
    ['WALLETB_SN_CASHOUT', 'reverse'],
    ['WALLETD_SN_CASHOUT', 'disburse'],
    ['WALLETF_CM_CASHOUT', 'disburse'],
  ] as const)
    it(`${serviceCode}: in part by our id, then by the external id, and not beyond`, async () => {
      const gateway = await merchant(0)
      const { id, externalId, phone } = await paidLink(gateway, {}, serviceCode)
      const part = await refund(gateway, id, { amount: 2000 })
      assert.equal(await ended(gateway, part), 'SUCCESS')
      const { refundId } = part.body.refund
      assert.deepEqual(part.body.refund, {
        refundId,
        originalTransactionId: id,
        amount: 2000,
        Status: 'PENDING',
      })
      const { transactionType, number, serviceCode: by } = part.body.transaction
      assert.deepEqual([transactionType, number, by], ['REFUND', phone, serviceCode])
      const [order] = await ordersOf(gateway, refundId)
      assert.deepEqual([order?.operation, order?.amount], [operation, 2000])
      assert.equal(await balance(gateway), 7500 - 150 - 2000)
      const over = await refund(gateway, externalId, { amount: 5501 })
      assertNotAllowed(over, 'At most 5500 FCFA of it can still be refunded')
      const rest = await refund(gateway, externalId, { amount: 5350 })
      assert.equal(await ended(gateway, rest), 'SUCCESS')
      assert.equal(rest.body.refund.originalTransactionId, id)
      assert.equal(await balance(gateway), 0)
      const { status, body } = await refund(gateway, id)
      assert.deepEqual([status, body.code], [400, 'INSUFFICIENT_FUNDS'])
      // The link stays paid.
      assert.equal((await linkOf(db, id)).status, 'SUCCESS')
      assert.equal((await checkout.look(id))?.state.kind, 'paid')
    })

  it('in whole, with an event to the callback address of the link', async () => {
    const receiver = await openReceiver()
    const gateway = await merchant()
    const customData = '{"cart":7}'
    const change = { callBackURL: `${receiver.url}/links`, customData }
    const { id, phone } = await paidLink(gateway, change)
    const answer = await refund(gateway, id, { externalTransactionId: 'back-1' })
    assert.equal(await ended(gateway, answer), 'SUCCESS')
    const { refundId } = answer.body.refund
    const [, webhook] = await receiver.has(2)
    const { COMPLETED_AT, ...event } = JSON.parse(webhook?.body ?? '{}')
    assert.equal(webhook?.path, '/links')
    assert.match(COMPLETED_AT, /Z$/)
    assert.deepEqual(event, {
      id: refundId,
      externalTransactionId: 'back-1',
      transactionType: 'REFUND',
      AMOUNT: 7500,
      FEE: 0,
      PHONE_NUMBER: phone,
      STATUS: 'SUCCESS',
      CUSTOM_DATA: customData,
      BALANCE: 5_000_000 - 150,
      PREVIOUS_BALANCE: 5_000_000 + 7350,
      CURRENT_BALANCE: 5_000_000 - 150,
      FAILURE_CODE: '',
      FAILURE_MESSAGE: '',
      ORIGINAL_ID: id,
    })
    assert.equal((await eventsOf(db, id)).length, 1)
    assertNotAllowed(await refund(gateway, id), 'At most 0 FCFA of it can still be refunded')
    const found = await call(gateway, 'GET /api/v1/transaction/back-1')
    const { Type, transactionId, originalTransactionId } = found.body.transaction
    assert.deepEqual([Type, transactionId, originalTransactionId], ['REFUND', refundId, id])
    for (const path of ['transaction/merchant', 'merchant', 'transaction']) {
      const { body } = await call(gateway, `GET /api/v1/${path}/${id}`)
      assert.deepEqual(
        [body.transaction.transactionId, body.transaction.refundedAmount],
        [id, 7500],
      )
    }
    const { body: listed } = await call(gateway, 'GET /api/v1/transaction/merchant')
    assert.equal(listed.links[0].refundedAmount, 7500)
  })

  it('with an event to the callback address of the refund, if it names one', async () => {
    const receiver = await openReceiver()
    const { id } = await paidLink(live)
    const answer = await refund(live, id, { amount: 100, callBackURL: `${receiver.url}/own` })
    assert.equal(await ended(live, answer), 'SUCCESS')
    const [webhook] = await receiver.has(1)
    assert.equal(webhook?.path, '/own')
  })

  it('again after the provider has declined', async () => {
    const gateway = await merchant()
    const { id, phone } = await paidLink(gateway)
    await script(gateway, phone, [{ do: 'decline', reason: 'payee_refused' }, { do: 'callback' }])
    assert.equal(await ended(gateway, await refund(gateway, id)), 'FAILED')
    assert.equal(await balance(gateway), 5_000_000 + 7350)
    assert.equal(await ended(gateway, await refund(gateway, id)), 'SUCCESS')
    assert.equal(await balance(gateway), 5_000_000 - 150)
  })

  it('through the payment that paid it, not through a failed one', async () => {
    const gateway = await merchant()
    const id = await newLink(gateway)
    await checkout.pay(id, { serviceCode: 'WALLETF_CI_CASHOUT', phone: '770000001' })
    await untilSeen(live, id, 'choose')
    await checkout.pay(id, { serviceCode: push, phone: '771234567' })
    await untilSeen(live, id, 'paid')
    const answer = await refund(gateway, id)
    assert.equal(await ended(gateway, answer), 'SUCCESS')
    assert.equal(answer.body.transaction.serviceCode, push)
  })

  it('up to its amount, by concurrent requests', async () => {
    const gateway = await merchant()
    const { id, externalId } = await paidLink(gateway)
    const names = [id, externalId, id, externalId, id, externalId, id, externalId]
    const answers = await Promise.all(names.map((name) => refund(gateway, name, { amount: 2500 })))
    assert.equal(answers.filter(({ status }) => status === 201).length, 3)
    for (const answer of answers)
      if (answer.status === 201) assert.equal(await ended(gateway, answer), 'SUCCESS')
      else assert.equal(answer.body.code, 'REFUND_NOT_ALLOWED')
    assert.equal(await balance(gateway), 5_000_000 - 150)
  })
})

describe('a link is not refunded', { concurrency: true }, () => {
  it('before it is paid', async () => {
    const id = await newLink(live)
    assertNotAllowed(await refund(live, id), notCollected)
    await checkout.pay(id, { serviceCode: push, phone: '770000004' })
    assertNotAllowed(await refund(live, id, { amount: 1 }), notCollected)
  })

  it('after it has failed, or expired', async () => {
    const [failed, expired] = [await newLink(live), await newLink(live)]
    await checkout.giveUp(failed)
    await endLifetime(owner, expired)
    await eventually('it expires', async () => (await linkOf(db, expired)).status === 'EXPIRED')
    for (const id of [failed, expired]) assertNotAllowed(await refund(live, id), notCollected)
  })

  it('for another merchant', async () => {
    const { id, externalId } = await paidLink(live)
    const stranger = await merchant()
    for (const name of [id, externalId]) assert.equal((await refund(stranger, name)).status, 404)
  })
})

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
