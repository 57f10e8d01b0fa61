import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { services } from '#merchants/catalog/services.ts'
import { watchContracts } from '#merchants/clients/contract.ts'
import { draft } from '#money/transactions/intents.ts'
import {
  endLifetime,
  eventsOf,
  getLink,
  linkBody,
  linkOf,
  newLink,
  paymentsOf,
  untilSeen,
} from '#test/links.ts'
import { call, liveGateway, ordersOf, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import type { PayResult } from './checkout.ts'
import { confirmationOf, draftLink, type LinkDraft, recordLinks } from './create.ts'
import { beginPayment, intentOfPayment } from './pay.ts'

const live = await liveGateway({ pace: 20 })
const { db, connect, clientId } = live
const owner = connect({ asOwner: true })
const processes = [live, await live.newProcess(), await live.newProcess()]
const push = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
const contractOf = watchContracts(db)
const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`

let turn = 0
/** The checkout of the next process in turn. */
function checkout() {
  turn += 1
  return (processes[turn % processes.length] ?? live).links.checkout
}

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const eventStatusesOf = async (id: string) => (await eventsOf(db, id)).map(({ STATUS }) => STATUS)

describe('concurrent payers of one link', { concurrency: 4 }, () => {
  // the wallets that twenty payers choose in turn
  const wallets: string[][] = [
    ['WALLETA_SN_CASHOUT'],
    ['WALLETD_SN_CASHOUT'],
    ['WALLETB_SN_CASHOUT'],
    ['WALLETA_SN_CASHOUT', 'WALLETF_CI_CASHOUT', 'WALLETB_SN_CASHOUT', 'WALLETD_SN_CASHOUT'],
  ]
  for (const codes of wallets)
    it(`begin one payment: ${codes.join(', ')}`, async () => {
      const ids = await Promise.all(times(4, () => newLink(live)))
      for (const id of ids) {
        const results = await Promise.all(
          times(20, (index) => {
            const serviceCode = codes[index % codes.length] ?? ''
            return checkout().pay(id, { serviceCode, phone: `77000${index + 1000}` })
          }),
        )
        // The others get `started` for the payment under way, or a refusal once it is paid.
        for (const result of results)
          if (result.kind === 'refused') assert.deepEqual(result.problems, ['not_open'])
        assert.ok(results.some(({ kind }) => kind === 'started'))
        const [payment, ...more] = await paymentsOf(db, id)
        assert.ok(payment !== undefined)
        assert.deepEqual(more, [])
        assert.equal((await linkOf(db, id)).attempts, 1)
        if (payment.serviceCode.startsWith('WALLETD')) await checkout().confirm(id, '123456')
        await untilSeen(live, id, 'paid')
        const orders = await ordersOf(live, payment.id)
        assert.equal(
          orders.reduce((sum, { executed }) => sum + executed, 0),
          1,
        )
        assert.deepEqual(await eventStatusesOf(id), ['SUCCESS'])
      }
    })

  it('begin five failing payments and no more', async () => {
    const id = await newLink(live)
    const order = { ...push, phone: '770000001' }
    const payers = times(12, async () => {
      for (let result: PayResult | undefined; result?.kind !== 'refused'; )
        result = await checkout().pay(id, order)
    })
    await Promise.all(payers)
    assert.equal((await paymentsOf(db, id)).length, 5)
    assert.deepEqual(await eventStatusesOf(id), ['FAILED'])
    assert.equal((await linkOf(db, id)).attempts, 5)
  })
})

describe('a payment concurrent with the end of its link', { concurrency: 4 }, () => {
  test('begins or the link is given up, never both', async () => {
    const ends = new Set<string>()
    // Until either has been first.
    const isEnough = (round: number) => round >= 100 || (round >= sized(6, 16) && ends.size === 2)
    for (let round = 0; !isEnough(round); round += 1) {
      const id = await newLink(live)
      // One of the two is delayed in turn, a little more each round.
      const [payAfterMs, leaveAfterMs] = round % 2 === 0 ? [0, round % 16] : [round % 16, 0]
      const leaving = () => sleep(leaveAfterMs).then(() => checkout().giveUp(id))
      const results = await Promise.all([
        sleep(payAfterMs).then(() => checkout().pay(id, push)),
        leaving(),
        leaving(),
      ])
      const isGivenUp = results.includes('given_up')
      assert.equal(results.filter((result) => result === 'given_up').length, isGivenUp ? 1 : 0)
      const started = results.some((one) => typeof one === 'object' && one.kind === 'started')
      assert.equal(started, !isGivenUp)
      assert.equal((await paymentsOf(db, id)).length, isGivenUp ? 0 : 1)
      const view = await untilSeen(live, id, isGivenUp ? 'failed' : 'paid')
      assert.deepEqual(await eventStatusesOf(id), [isGivenUp ? 'FAILED' : 'SUCCESS'])
      ends.add(view.state.kind)
    }
    assert.equal(ends.size, 2, `every round ended as ${[...ends].join()}`)
  })

  test('begins or the link expires, never both, with a sweeper in each process', async () => {
    const sweepers = processes.map(({ links }) => links.startSweeper())
    for (let round = 0; round < sized(6, 16); round += 1) {
      const id = await newLink(live)
      const [result] = await Promise.all([
        checkout().pay(id, push),
        endLifetime(owner, id).then(() => {
          for (const sweeper of sweepers) sweeper.wake()
        }),
      ])
      const isBegun = result.kind === 'started'
      await untilSeen(live, id, isBegun ? 'paid' : 'expired')
      await eventually('it has an event', async () => (await eventsOf(db, id)).length > 0)
      assert.deepEqual(await eventStatusesOf(id), [isBegun ? 'SUCCESS' : 'EXPIRED'])
      assert.equal((await paymentsOf(db, id)).length, isBegun ? 1 : 0)
    }
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
  })

  test('or without one gives one event, whichever of many sweepers ends the link', async () => {
    const ids = await Promise.all(times(sized(15, 40), () => newLink(live)))
    const sweepers = processes.flatMap(({ links }) => times(2, () => links.startSweeper()))
    await Promise.all(ids.map((id) => endLifetime(owner, id)))
    for (const sweeper of sweepers) sweeper.wake()
    for (const id of ids) {
      await eventually('it expires', async () => (await linkOf(db, id)).status === 'EXPIRED')
      assert.deepEqual(await eventStatusesOf(id), ['EXPIRED'])
    }
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
  })

  test('ends once by approval, refusal, expiry or giving up', async () => {
    const number = '778200000'
    const later = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
    await script(live, number, later, true)
    for (let round = 0; round < sized(5, 12); round += 1) {
      const id = await newLink(live)
      await checkout().pay(id, { serviceCode: 'WALLETB_SN_CASHOUT', phone: number })
      const { state } = await untilSeen(live, id, 'waiting')
      assert.ok(state.step === 'redirect' && state.url !== null)
      const { url } = state
      const decide = (path: string) =>
        fetch(`${url}/${path}`, { method: 'POST', redirect: 'manual' })
      const acts = [() => decide('approve'), () => decide('refuse'), () => endLifetime(owner, id)]
      const more = [() => checkout().giveUp(id), () => checkout().changeWallet(id)]
      const order = [...acts, ...more].sort(() => Math.random() - 0.5)
      await Promise.all(order.map((act) => act()))
      await eventually('it ends', async () => (await eventsOf(db, id)).length > 0)
      const [payment] = await paymentsOf(db, id)
      const [paid] = await ordersOf(live, payment?.id ?? '')
      const { status } = await linkOf(db, id)
      // Unpaid, it ended by whichever came first: the payer's decision or its lifetime.
      assert.equal(status === 'SUCCESS', paid?.executed === 1)
      assert.deepEqual(await eventStatusesOf(id), [status])
    }
  })
})

describe('the same link created several times', { concurrency: 2 }, () => {
  it('concurrently is one link', async () => {
    for (let round = 0; round < 6; round += 1) {
      const body = linkBody()
      const answers = await Promise.all(
        times(30, (index) =>
          call({ ...live, url: processes[index % 3]?.url ?? '' }, getLink, body),
        ),
      )
      const created = answers.filter(({ status }) => status === 201)
      assert.equal(created.length, 1)
      const id = created[0]?.body.transactionId
      for (const { status, body: answer } of answers)
        if (status !== 201) assert.deepEqual([status, answer.transaction.transactionId], [409, id])
      assert.equal(
        (await db`select 1 from links where external_id = ${body.externalTransactionId}`).length,
        1,
      )
    }
  })

  const draftOf = async (externalId: string): Promise<LinkDraft> => {
    const order = {
      clientId,
      keyId: key?.id ?? '',
      externalId,
      subMerchantId: null,
      payeeName: 'Shop',
      itemName: 'Item',
      amount: 500,
      customData: null,
      callbackUrl: 'http://127.0.0.1:9/hook',
      successUrl: 'http://127.0.0.1:9/ok',
      failureUrl: 'http://127.0.0.1:9/no',
      customerName: null,
      customerPhone: null,
      customerEmail: null,
      language: null,
      lifetimeMs: 900_000,
    }
    const link = draftLink(order, new Date())
    const mail = confirmationOf(link, { email: 'a@shop.example', language: 'fr' }, 'http://x/')
    return { link, mail, hasSmtp: false }
  }
  const record = (drafts: LinkDraft[]) =>
    db.transaction((tx) => recordLinks(tx, drafts, new Date()))

  it('after a commit that seemed lost is the same link, with one mail', async () => {
    const drafts = await Promise.all(times(5, (index) => draftOf(`lost-${index}`)))
    const [, other] = drafts
    const rival = await draftOf(other?.link.externalId ?? '')
    assert.deepEqual(
      await record(drafts),
      times(5, () => true),
    )
    // Run again in a group with another draft of one of their external ids.
    assert.deepEqual(await record([...drafts, rival]), [...times(5, () => true), false])
    assert.deepEqual(await record([rival]), [false])
    for (const { link } of drafts) {
      assert.equal((await linkOf(db, link.id)).externalId, link.externalId)
      assert.equal((await db`select 1 from mails where record_id = ${link.id}`).length, 1)
    }
    assert.equal((await db`select 1 from mails where record_id = ${rival.link.id}`).length, 0)
  })

  it('in one group is one link', async () => {
    const rivals = await Promise.all(times(4, () => draftOf('one-name')))
    const recorded = await record(rivals)
    assert.equal(recorded.filter(Boolean).length, 1)
    const rows = await db<{ id: string }>`select id from links where external_id = 'one-name'`
    assert.deepEqual(
      rows.map(({ id }) => id),
      [rivals[recorded.indexOf(true)]?.link.id],
    )
  })
})

describe('a recorded payment of a link', { concurrency: 2 }, () => {
  async function begun(phone: string) {
    const link = await linkOf(db, await newLink(live))
    const service = services.find(({ code }) => code === push.serviceCode)
    assert.ok(service !== undefined)
    const contract = await contractOf(clientId)
    const now = new Date()
    const offer = { contract, pageUrl: 'http://x/' }
    const drafted = draft(intentOfPayment(link, service, phone, offer), now)
    const begin = () => db.transaction((tx) => beginPayment(tx, link, drafted, now))
    assert.equal(await begin(), 'begun')
    return { id: link.id, payment: drafted.transaction.id, begin }
  }

  it('is not recorded twice when its commit seemed lost', async () => {
    const { id, payment, begin } = await begun('771234567')
    assert.deepEqual(await Promise.all([begin(), begin(), begin()]), ['begun', 'begun', 'begun'])
    assert.equal((await linkOf(db, id)).attempts, 1)
    assert.deepEqual(await checkout().pay(id, push), { kind: 'started' })
    assert.deepEqual(
      (await paymentsOf(db, id)).map((one) => one.id),
      [payment],
    )
  })

  it('is sent once by another process when its own died', async () => {
    const { id, payment } = await begun('771234567')
    assert.equal(await checkout().giveUp(id), 'too_late')
    assert.deepEqual(await ordersOf(live, payment), [])
    await owner`update transactions set due_at = now() where id = ${payment}`
    await untilSeen(live, id, 'paid')
    const [order, ...more] = await ordersOf(live, payment)
    assert.deepEqual([order?.executed, more], [1, []])
    assert.deepEqual(await eventStatusesOf(id), ['SUCCESS'])
  })

  it('is not begun again after its end', async () => {
    const { id, payment, begin } = await begun('770000001')
    await owner`update transactions set due_at = now() where id = ${payment}`
    await untilSeen(live, id, 'choose')
    assert.equal(await begin(), 'begun')
    const { openId, attempts } = await linkOf(db, id)
    assert.deepEqual([openId, attempts], [null, 1])
  })
})

test('keeps ledger, transactions, links and lab consistent', async () => {
  await owner`update transactions set due_at = now() where completed_at is null`
  await eventually('all have ended', async () => {
    const open = await db`select 1 from transactions where completed_at is null`
    return open.length === 0
  })
  await assertMoney(live)
})
