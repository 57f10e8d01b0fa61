import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeclineCause } from '#money/providers/contract.ts'
import { beginAttempt } from '#money/transactions/begin-attempt.ts'
import { dropTransaction } from '#money/transactions/drop.ts'
import { findTransaction } from '#money/transactions/store.ts'
import { eventsOf, linkOf, newLink, paymentsOf, untilSeen } from '#test/links.ts'
import { call, liveGateway, ordersOf, post, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const { db, clientId, connect, lab, proxy } = live
const { context } = live.transactions
const owner = connect({ asOwner: true })
const processes = [live, await live.newProcess(), await live.newProcess()]
const { checkout } = live.links
const otp = 'WALLETD_SN_CASHOUT'
const redirect = 'WALLETB_SN_CASHOUT'
const push = 'WALLETA_SN_CASHOUT'
const right = '123456'
let numbers = 778_300_000

/** A link with a payment under way, of a number that no other test uses. */
async function linkInPayment(serviceCode: string) {
  numbers += 1
  const phone = String(numbers)
  const later = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
  if (serviceCode !== otp) await script(live, phone, later)
  const id = await newLink(live)
  assert.deepEqual(await checkout.pay(id, { serviceCode, phone }), { kind: 'started' })
  const { state } = await untilSeen(live, id, 'waiting')
  const page = state.step === 'redirect' ? state.url : null
  const payment = (await linkOf(db, id)).openId ?? ''
  const decide = (path: string) => fetch(`${page}/${path}`, { method: 'POST', redirect: 'manual' })
  return { id, payment, phone, page, decide }
}

function checkoutAt(place: number) {
  return (processes[place % processes.length] ?? live).links.checkout
}

async function executed(payment: string): Promise<number> {
  return (await ordersOf(live, payment)).reduce((sum, order) => sum + order.executed, 0)
}

/** Pays with another wallet, and checks that the first payment was cancelled unpaid. */
async function payWithAnother(
  id: string,
  first: string,
  expected: DeclineCause | null = 'payer_refused',
): Promise<void> {
  const { state } = (await checkout.look(id)) ?? {}
  assert.ok(state?.kind === 'choose')
  const { cause, serviceCode, phone } = state.lastFailure ?? {}
  const dropped = await findTransaction(db, { clientId, id: first })
  assert.equal(cause, expected)
  assert.deepEqual([serviceCode, phone], [dropped?.serviceCode, dropped?.phone])
  await checkout.pay(id, { serviceCode: push, phone: '771234567' })
  await untilSeen(live, id, 'paid')
  assert.equal(await executed(first), 0)
  assert.deepEqual(
    (await paymentsOf(db, id)).map(({ status }) => status),
    [expected === 'payer_refused' ? 'CANCELLED' : 'FAILED', 'SUCCESS'],
  )
  assert.deepEqual(
    (await eventsOf(db, id)).map(({ STATUS }) => STATUS),
    ['SUCCESS'],
  )
}

describe('a payment by one-time code', () => {
  it('can be cancelled before a code was sent, and then accepts none', async () => {
    const { id, payment } = await linkInPayment(otp)
    assert.equal(await checkout.changeWallet(id), 'changed')
    const order = { transactionId: payment, otp: right }
    const answer = await call(live, 'POST /api/v1/transaction/confirm/walletd', order)
    assert.deepEqual([answer.status, answer.body.code], [400, 'OTP_INVALID'])
    assert.equal(await checkout.confirm(id, right), 'not_waiting')
    const [evidence] = await db<{ source: string; outcome: string }>`
      select source, outcome from evidence where transaction_id = ${payment}
      order by id desc limit 1`
    assert.deepEqual(evidence, { source: 'payer', outcome: 'declined' })
    await payWithAnother(id, payment)
  })

  it('can be cancelled after wrong codes', async () => {
    const { id, payment } = await linkInPayment(otp)
    for (const code of ['0000', '1111'])
      assert.equal(await checkout.confirm(id, code), 'wrong_code')
    assert.equal(await checkout.changeWallet(id), 'changed')
    await payWithAnother(id, payment)
  })

  it('is replaced for a new code, once for several clicks, and paid once', async () => {
    const { id, payment, phone } = await linkInPayment(otp)
    assert.equal(await checkout.confirm(id, '0000'), 'wrong_code')
    const clicks = [0, 1, 2, 3].map((place) => checkoutAt(place).newCode(id, 4))
    assert.deepEqual(new Set(await Promise.all(clicks)), new Set(['started']))
    // A click on a page that is older.
    assert.equal(await checkout.newCode(id, 4), 'started')
    const { state, attemptsLeft } = await untilSeen(live, id, 'waiting')
    assert.ok(state.step === 'otp')
    assert.deepEqual([state.attempt.serviceCode, state.attempt.phone], [otp, phone])
    assert.deepEqual([state.triesLeft, attemptsLeft], [5, 3])
    assert.equal(await checkout.confirm(id, right), 'accepted')
    await untilSeen(live, id, 'paid')
    const payments = await paymentsOf(db, id)
    assert.deepEqual(
      payments.map(({ status }) => status),
      ['CANCELLED', 'SUCCESS'],
    )
    assert.equal(await executed(payment), 0)
    assert.equal(await executed(payments[1]?.id ?? ''), 1)
  })

  it('gets no new code once the right one was sent, nor without a try left', async () => {
    const { id } = await linkInPayment(otp)
    assert.equal(await checkout.confirm(id, right), 'accepted')
    assert.notEqual(await checkout.newCode(id, 4), 'unavailable')
    await untilSeen(live, id, 'paid')
    assert.equal((await paymentsOf(db, id)).length, 1)
    const { id: other, payment } = await linkInPayment(otp)
    for (let left = 4; left > 0; left -= 1) {
      assert.equal(await checkout.newCode(other, left), 'started')
      await untilSeen(live, other, 'waiting')
    }
    assert.equal(await checkout.newCode(other, 0), 'too_late')
    assert.equal((await linkOf(db, other)).status, 'PENDING')
    assert.equal(await executed(payment), 0)
    assert.equal(await checkout.confirm(other, right), 'accepted')
    await untilSeen(live, other, 'paid')
  })

  it('cannot be cancelled while a code is being checked, right or wrong', async () => {
    const seen = new Set<string>()
    for (let round = 0; round < 20 && seen.size < 2; round += 1) {
      const [code, result] = round % 2 === 0 ? [right, 'accepted'] : ['0000', 'wrong_code']
      const { id, payment } = await linkInPayment(otp)
      await post(`${lab.url}/lab/outage`, { connector: 'otp-confirm', mode: 'slow', seconds: 1 })
      let isAnswered = false
      const confirming = checkout.confirm(id, code).finally(() => {
        isAnswered = true
      })
      await eventually('the code is being checked', async () => {
        const found = await findTransaction(db, { clientId, id: payment })
        return found?.otpTries === 1
      })
      const change = await checkoutAt(1).changeWallet(id)
      // On a busy machine the answer may arrive first; then another round is needed.
      if (!isAnswered) {
        assert.equal(change, 'too_late')
        seen.add(code)
      }
      assert.equal(await confirming, result)
      if (code === right) await untilSeen(live, id, 'paid')
      else if (change === 'too_late') assert.equal(await checkoutAt(2).changeWallet(id), 'changed')
    }
    assert.equal(seen.size, 2, 'no change met both a right and a wrong code being checked')
  })

  test('is cancelled or confirmed, never both', async () => {
    const met = { changed: 0, too_late: 0 }
    // Until either has been first.
    const isEnough = (round: number) =>
      round >= 100 || (round >= sized(8, 24) && met.changed > 0 && met.too_late > 0)
    for (let round = 0; !isEnough(round); round += 1) {
      const { id, payment } = await linkInPayment(otp)
      const [result, change] = await Promise.all([
        sleep(round % 4).then(() => checkoutAt(round).confirm(id, right)),
        sleep(round % 3).then(() => checkoutAt(round + 1).changeWallet(id)),
      ])
      met[change] += 1
      if (change === 'too_late') {
        assert.equal(result, 'accepted')
        await untilSeen(live, id, 'paid')
      } else {
        assert.notEqual(result, 'accepted')
        await payWithAnother(id, payment)
      }
    }
    assert.ok(met.changed > 0 && met.too_late > 0, JSON.stringify(met))
  })

  const guessCount = sized(200, 1000)
  test(`sends five of ${guessCount} guesses, even while it is being cancelled`, async () => {
    const { id, payment } = await linkInPayment(otp)
    const before = proxy.requests.length
    const guesses = Array.from({ length: guessCount }, (_, guess) =>
      checkoutAt(guess).confirm(id, String(1000 + guess)),
    )
    const changes = Array.from({ length: 20 }, (_, place) => checkoutAt(place).changeWallet(id))
    const [results] = await Promise.all([Promise.all(guesses), Promise.all(changes)])
    const sent = proxy.requests
      .slice(before)
      .filter((request) => request.endsWith('/softpay/confirm'))
    assert.ok(sent.length <= 5, `${sent.length} were sent`)
    assert.ok(!results.includes('accepted'))
    const found = await findTransaction(db, { clientId, id: payment })
    assert.ok(found !== undefined && found.otpTries <= 5 && found.otpTries === found.otpWrong)
    if (found.completedAt === null) assert.equal(await checkout.changeWallet(id), 'changed')
    const ended = await findTransaction(db, { clientId, id: payment })
    // Cancelled before the fifth wrong code, or ended by it.
    assert.ok(ended?.failure === 'payer_refused' || found.otpWrong === 5)
    await payWithAnother(id, payment, ended?.failure)
  })

  it('can be cancelled when a new attempt has just begun', async () => {
    const { id, payment } = await linkInPayment(otp)
    const late = {
      ...context,
      bind: async (...order: Parameters<typeof context.bind>) => {
        const bound = await context.bind(...order)
        await owner`update transactions set version = version + 1,
          attempt_state = 'not_sent' where id = ${payment}`
        await db.transaction((tx) => beginAttempt(tx, order[0], new Date()))
        return bound
      },
    }
    assert.equal(await dropTransaction(late, { clientId, id: payment }), 'dropped')
    const found = await findTransaction(db, { clientId, id: payment })
    assert.deepEqual([found?.attemptNumber, found?.status], [2, 'CANCELLED'])
    await payWithAnother(id, payment)
  })
})

describe('a payment on a checkout page', () => {
  it('can be cancelled while unpaid, and can then not be paid', async () => {
    const { id, payment, decide } = await linkInPayment(redirect)
    assert.equal(await checkout.changeWallet(id), 'changed')
    await decide('approve')
    await payWithAnother(id, payment)
  })

  it('cannot be cancelled after it was paid', async () => {
    const { id, decide } = await linkInPayment(redirect)
    await decide('approve')
    assert.equal(await checkout.changeWallet(id), 'too_late')
    await untilSeen(live, id, 'paid')
    assert.deepEqual(
      (await paymentsOf(db, id)).map(({ status }) => status),
      ['SUCCESS'],
    )
  })

  test('is cancelled or paid, never both', async () => {
    for (let round = 0; round < sized(6, 12); round += 1) {
      const { id, payment, decide } = await linkInPayment(redirect)
      const [change] = await Promise.all([
        sleep(round % 3).then(() => checkoutAt(round).changeWallet(id)),
        sleep(round % 4).then(() => decide('approve')),
      ])
      if (change === 'changed') await payWithAnother(id, payment)
      else await untilSeen(live, id, 'paid')
    }
  })

  it('cannot be cancelled while its provider does not answer', async () => {
    const { id, payment, decide } = await linkInPayment(redirect)
    const outage = { connector: 'checkout-session', provider: 'WALLETB', mode: 'refuse' }
    await post(`${lab.url}/lab/outage`, { ...outage, seconds: 600 })
    assert.equal(await checkout.changeWallet(id), 'too_late')
    assert.equal((await linkOf(db, id)).openId, payment)
    await post(`${lab.url}/lab/outage`, { ...outage, seconds: 0 })
    await decide('approve')
    await untilSeen(live, id, 'paid')
  })

  it('can be cancelled although the answer to closing its session was lost', async () => {
    const { id, payment } = await linkInPayment(redirect)
    proxy.losesAnswerTo = (request) => request.endsWith('/expire')
    assert.equal(await checkout.changeWallet(id), 'changed')
    proxy.losesAnswerTo = () => false
    await payWithAnother(id, payment)
  })
})

it('a push prompt cannot be cancelled', async () => {
  const { id, payment } = await linkInPayment(push)
  const before = proxy.requests.length
  assert.equal(await checkout.changeWallet(id), 'too_late')
  const asked = proxy.requests.slice(before).filter((request) => request.startsWith('POST'))
  assert.deepEqual(asked, [])
  assert.equal((await linkOf(db, id)).openId, payment)
})

it('a change of wallet without a payment under way changes nothing', async () => {
  const id = await newLink(live)
  assert.equal(await checkout.changeWallet(id), 'changed')
  assert.equal((await linkOf(db, id)).attempts, 0)
  await checkout.giveUp(id)
  assert.equal(await checkout.changeWallet(id), 'too_late')
})

it('cancelled payments count as attempts, and the fifth is the last', async () => {
  const id = await newLink(live)
  for (let left = 4; left >= 0; left -= 1) {
    await checkout.pay(id, { serviceCode: otp, phone: '778399999' })
    assert.equal(await checkout.changeWallet(id), 'changed')
    assert.equal((await checkout.look(id))?.attemptsLeft, left)
  }
  const { state } = (await checkout.look(id)) ?? {}
  assert.deepEqual(state?.kind === 'failed' && state.because, 'attempts_exhausted')
  assert.deepEqual(
    (await eventsOf(db, id)).map(({ STATUS }) => STATUS),
    ['FAILED'],
  )
})

test('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
