import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { eventsOf, linkBody, linkOf, newLink, paymentsOf, untilSeen } from '#test/links.ts'
import { balance, call, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'
import type { PayerState } from './checkout.ts'

const live = await liveGateway({ pace: 20 })
const { db, url, newMerchant } = live
const { checkout } = live.links
const phone = '771234567'
const push = 'WALLETA_SN_CASHOUT'

async function start(id: string, serviceCode = push, number = phone): Promise<void> {
  assert.deepEqual(await checkout.pay(id, { serviceCode, phone: number }), { kind: 'started' })
}

/** Pays, and waits until the payment has failed. */
async function fail(id: string, number = '770000001', serviceCode = push) {
  await start(id, serviceCode, number)
  return eventually('it has failed', async () => {
    const view = await checkout.look(id)
    return view?.state.kind !== 'waiting' && view?.state.kind !== 'checking' && view
  })
}

/** Why the last payment failed, with what it was. */
function failure(cause: string, serviceCode: string, number: string) {
  const [, letter, country] = /^WALLET(.)_(..)_/.exec(serviceCode) ?? []
  return { cause, serviceCode, walletName: `Wallet ${letter}`, country, phone: number }
}

/** Approves or refuses on the wallet's own page, as the payer. */
async function decide(state: PayerState | undefined, decision: 'approve' | 'refuse') {
  assert.ok(state?.kind === 'waiting' && state.step === 'redirect' && state.url !== null)
  await fetch(`${state.url}/${decision}`, { method: 'POST', redirect: 'manual' })
}

describe('a link is paid', { concurrency: true }, () => {
  // wallet, payer step, fee of the wallet: basis points and a fixed part
  const table: [serviceCode: string, step: string, basisPoints: number, fixed: number][] = [
    ['WALLETA_SN_CASHOUT', 'push', 200, 0],
    ['WALLETB_SN_CASHOUT', 'redirect', 300, 0],
    ['WALLETC_SN_CASHOUT', 'push', 0, 17],
    ['WALLETD_SN_CASHOUT', 'otp', 150, 100],
    ['WALLETF_CI_CASHOUT', 'push', 0, 0],
    ['WALLETB_CI_CASHOUT', 'redirect', 9999, 0],
    ['WALLETE_ML_CASHOUT', 'push', 1, 0],
    ['WALLETF_CM_CASHOUT', 'push', 250, 5],
  ]
  for (const [serviceCode, step, basisPoints, fixed] of table)
    it(`with ${serviceCode} (${step}), and gives one event with the wallet's fee`, async () => {
      const receiver = await openReceiver()
      const merchant = { url, ...(await newMerchant(1000)) }
      const { clientId } = merchant
      const change = { basisPoints, fixed }
      await db.transaction((tx) =>
        changeTerms(tx, { clock }, { clientId, serviceCode, change, actor: 'test' }),
      )
      const customData = '{ "cart": [42, "é"] }'
      const sent = linkBody({ ItemPrice: 7501, customData, callBackURL: `${receiver.url}/hook` })
      const id = await newLink(merchant, sent)
      assert.deepEqual((await checkout.look(id))?.state, { kind: 'choose', lastFailure: null })
      await start(id, serviceCode)
      const { state } = (await checkout.look(id)) ?? {}
      if (state?.kind === 'waiting') assert.equal(state.step, step)
      if (step === 'redirect') await decide(state, 'approve')
      if (step === 'otp') assert.equal(await checkout.confirm(id, '123456'), 'accepted')
      const paid = await untilSeen(live, id, 'paid')
      const { receipt } = paid.state
      const { serviceCode: by, amount, phone: payer } = receipt
      assert.deepEqual([by, amount, payer], [serviceCode, 7501, phone])

      const fee = fixed + Math.round((7501 * basisPoints) / 10_000)
      const after = 1000 + 7501 - fee
      assert.equal(await balance(merchant), after)
      const { completedAt } = await linkOf(db, id)
      const expected = {
        id,
        externalTransactionId: sent.externalTransactionId,
        transactionType: 'PAYMENT',
        AMOUNT: 7501,
        FEE: fee,
        PHONE_NUMBER: phone,
        STATUS: 'SUCCESS',
        CUSTOM_DATA: customData,
        COMPLETED_AT: completedAt?.toISOString(),
        BALANCE: after,
        PREVIOUS_BALANCE: 1000,
        CURRENT_BALANCE: after,
        FAILURE_CODE: '',
        FAILURE_MESSAGE: '',
      }
      const [event, ...more] = await eventsOf(db, id)
      assert.deepEqual([event, more], [expected, []])
      assert.deepEqual(Object.keys(event ?? {}), Object.keys(expected))
      const [got] = await receiver.has(1)
      assert.equal(got?.body, JSON.stringify(expected))
      const { body } = await call(merchant, 'GET /api/v1/events')
      assert.equal(body.events.length, 1)
      assert.deepEqual(body.events[0].event, expected)
    })

  it('and its event is in the stream at once', async () => {
    const merchant = { url, ...(await newMerchant()) }
    const id = await newLink(merchant)
    const ended = new AbortController()
    const stream = await fetch(`${url}/api/v1/events/stream`, {
      headers: { Authorization: `Bearer ${merchant.secret}`, Accept: 'text/event-stream' },
      signal: ended.signal,
    })
    let received = ''
    const listening = (async () => {
      for await (const part of stream.body ?? []) received += Buffer.from(part).toString()
    })().catch(() => {})
    await start(id)
    await untilSeen(live, id, 'paid')
    await eventually('the event is in the stream', async () => received.includes(`"id":"${id}"`))
    ended.abort()
    await listening
    assert.equal(received.split(`"id":"${id}"`).length, 2)
    assert.match(received, /"transactionType":"PAYMENT"/)
  })

  it('once, and then refuses every verb', async () => {
    const id = await newLink(live)
    await start(id)
    await untilSeen(live, id, 'paid')
    const refused = { kind: 'refused', problems: ['not_open'] }
    assert.deepEqual(await checkout.pay(id, { serviceCode: push, phone }), refused)
    assert.equal(await checkout.giveUp(id), 'too_late')
    assert.equal(await checkout.changeWallet(id), 'too_late')
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
    assert.deepEqual((await paymentsOf(db, id)).length, 1)
  })
})

describe('a failed payment of a link', { concurrency: true }, () => {
  // number, cause
  for (const [number, cause] of [
    ['770000001', 'balance_low'],
    ['770000002', 'payer_refused'],
    ['770000003', 'payer_timeout'],
  ] as const)
    it(`(${cause}) leaves the link open, without an event`, async () => {
      const merchant = { url, ...(await newMerchant()) }
      const id = await newLink(merchant)
      const view = await fail(id, number)
      const lastFailure = failure(cause, push, number)
      assert.deepEqual(view?.state, { kind: 'choose', lastFailure })
      assert.equal(view?.attemptsLeft, 4)
      const { status, openId, attempts } = await linkOf(db, id)
      assert.deepEqual([status, openId, attempts], ['PENDING', null, 1])
      assert.deepEqual((await call(merchant, 'GET /api/v1/events')).body.events, [])
      const { body } = await call(merchant, `GET /api/v1/merchant/${id}`)
      assert.equal(body.transaction.Status, 'PENDING')
      // Another wallet, the same link.
      await start(id, 'WALLETF_CI_CASHOUT')
      await untilSeen(live, id, 'paid')
      const [event, ...more] = await eventsOf(db, id)
      assert.deepEqual([event?.STATUS, event?.PHONE_NUMBER, more], ['SUCCESS', phone, []])
      const { events } = (await call(merchant, 'GET /api/v1/events')).body
      assert.equal(events.length, 1)
    })

  it('ends the link when it was the fifth', async () => {
    const merchant = { url, ...(await newMerchant(321)) }
    const sent = linkBody({ customData: '"x"' })
    const id = await newLink(merchant, sent)
    for (let left = 4; left > 0; left -= 1) {
      const view = await fail(id, left % 2 === 0 ? '770000002' : '770000001')
      assert.deepEqual([view?.state.kind, view?.attemptsLeft], ['choose', left])
    }
    const last = await fail(id, '770000002', 'WALLETF_CI_CASHOUT')
    const { status, completedAt, paidId } = await linkOf(db, id)
    assert.deepEqual(last?.state, {
      kind: 'failed',
      because: 'attempts_exhausted',
      lastFailure: failure('payer_refused', 'WALLETF_CI_CASHOUT', '770000002'),
      endedAt: completedAt,
    })
    assert.deepEqual([status, paidId], ['FAILED', null])
    assert.deepEqual(await eventsOf(db, id), [
      {
        id,
        externalTransactionId: sent.externalTransactionId,
        transactionType: 'PAYMENT',
        AMOUNT: 7500,
        FEE: 0,
        PHONE_NUMBER: '770000002',
        STATUS: 'FAILED',
        CUSTOM_DATA: '"x"',
        COMPLETED_AT: completedAt?.toISOString(),
        BALANCE: 321,
        PREVIOUS_BALANCE: 321,
        CURRENT_BALANCE: 321,
        FAILURE_CODE: 'PAYER_REFUSED',
        FAILURE_MESSAGE: 'Le client a refusé le paiement',
      },
    ])
    assert.deepEqual(await checkout.pay(id, { serviceCode: push, phone }), {
      kind: 'refused',
      problems: ['not_open'],
    })
    assert.equal((await paymentsOf(db, id)).length, 5)
    assert.equal(await checkout.giveUp(id), 'too_late')
  })

  it('can be followed by a fifth that succeeds', async () => {
    const id = await newLink(live)
    for (let times = 0; times < 4; times += 1) await fail(id)
    await start(id)
    await untilSeen(live, id, 'paid')
    assert.deepEqual(
      (await eventsOf(db, id)).map(({ STATUS }) => STATUS),
      ['SUCCESS'],
    )
  })
})

describe('a payer who gives up', { concurrency: true }, () => {
  it('is named in the event by the number of the last try', async () => {
    const id = await newLink(live)
    await fail(id, '770000001')
    await fail(id, '770000002')
    assert.equal(await checkout.giveUp(id), 'given_up')
    const [event] = await eventsOf(db, id)
    assert.deepEqual(
      [event?.PHONE_NUMBER, event?.FEE, event?.FAILURE_CODE],
      ['770000002', 0, 'LINK_GIVEN_UP'],
    )
    const { body } = await call(live, `GET /api/v1/transaction/merchant/${id}`)
    assert.equal(body.transaction.Number, event?.PHONE_NUMBER)
  })

  it('ends the link, with one event', async () => {
    const merchant = { url, ...(await newMerchant(77)) }
    const sent = linkBody({ ClientPhone: '70 000 00 00' })
    const id = await newLink(merchant, sent)
    assert.equal(await checkout.giveUp(id), 'given_up')
    assert.equal(await checkout.giveUp(id), 'too_late')
    const { completedAt } = await linkOf(db, id)
    const state = { kind: 'failed', because: 'gave_up', lastFailure: null, endedAt: completedAt }
    assert.deepEqual((await checkout.look(id))?.state, state)
    assert.deepEqual(await eventsOf(db, id), [
      {
        id,
        externalTransactionId: sent.externalTransactionId,
        transactionType: 'PAYMENT',
        AMOUNT: 7500,
        FEE: 0,
        PHONE_NUMBER: '700000000',
        STATUS: 'FAILED',
        CUSTOM_DATA: '{}',
        COMPLETED_AT: completedAt?.toISOString(),
        BALANCE: 77,
        PREVIOUS_BALANCE: 77,
        CURRENT_BALANCE: 77,
        FAILURE_CODE: 'LINK_GIVEN_UP',
        FAILURE_MESSAGE: 'Le client a abandonné le lien de paiement',
      },
    ])
    assert.deepEqual(await checkout.pay(id, { serviceCode: push, phone }), {
      kind: 'refused',
      problems: ['not_open'],
    })
  })

  it('still sees which payment failed before', async () => {
    const id = await newLink(live)
    await fail(id)
    assert.equal(await checkout.giveUp(id), 'given_up')
    const lastFailure = failure('balance_low', push, '770000001')
    const { state } = (await checkout.look(id)) ?? {}
    const { completedAt: endedAt } = await linkOf(db, id)
    assert.deepEqual(state, { kind: 'failed', because: 'gave_up', lastFailure, endedAt })
  })

  it('is refused while a payment is under way, even one of unknown outcome', async () => {
    // One that stays open, and one whose answer comes too late.
    for (const number of ['770000004', '770000012']) {
      const id = await newLink(live)
      const paying = start(id, push, number)
      await eventually('it has begun', async () => (await linkOf(db, id)).openId !== null)
      assert.equal(await checkout.giveUp(id), 'too_late')
      assert.equal((await linkOf(db, id)).status, 'PENDING')
      assert.deepEqual(await eventsOf(db, id), [])
      await paying
    }
  })
})

it('every verb refuses an unknown or malformed link id', async () => {
  for (const id of ['00000000-0000-4000-8000-000000000000', 'x', '', "';--", 'A'.repeat(36)]) {
    assert.equal(await checkout.look(id), undefined)
    assert.deepEqual(await checkout.pay(id, { serviceCode: push, phone }), {
      kind: 'refused',
      problems: ['not_open'],
    })
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
    assert.equal(await checkout.changeWallet(id), 'too_late')
    assert.equal(await checkout.giveUp(id), 'too_late')
  }
})

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
