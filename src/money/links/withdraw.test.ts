import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventsOf, linkOf, newLink, untilSeen } from '#test/links.ts'
import { liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const { db, links, clientId } = live
const { checkout } = links
const slow = '778880000'
await script(live, slow, [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }], true)

const order = { serviceCode: 'WALLETB_SN_CASHOUT', phone: slow }
const statusOf = async (id: string) => (await linkOf(db, id)).status
const eventStatusesOf = async (id: string) => (await eventsOf(db, id)).map(({ STATUS }) => STATUS)

/** Begins a payment on the wallet's own page; returns that page. */
async function pageOf(id: string): Promise<string> {
  await checkout.pay(id, order)
  const { state } = await untilSeen(live, id, 'waiting')
  assert.ok(state.step === 'redirect' && state.url !== null)
  return state.url
}
const decide = (page: string, decision: 'approve' | 'refuse') =>
  fetch(`${page}/${decision}`, { method: 'POST', redirect: 'manual' })

describe('a link that its merchant withdraws', () => {
  it('expires at once, with one event and the time of it', async () => {
    const id = await newLink(live)
    assert.equal(await links.withdraw({ clientId, id }), true)
    assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['EXPIRED', ['EXPIRED']])
    const { expiresAt, completedAt } = await linkOf(db, id)
    assert.ok(completedAt !== null && expiresAt <= completedAt, 'payers read when it ended')
    assert.deepEqual((await checkout.look(id))?.state, { kind: 'expired' })
    assert.equal(await links.withdraw({ clientId, id }), false)
    assert.deepEqual(await eventStatusesOf(id), ['EXPIRED'])
  })

  it('while a payment is under way ends with it: paid', async () => {
    const id = await newLink(live)
    const page = await pageOf(id)
    assert.equal(await links.withdraw({ clientId, id }), true)
    assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['PENDING', []])
    await decide(page, 'approve')
    await untilSeen(live, id, 'paid')
    assert.deepEqual(await eventStatusesOf(id), ['SUCCESS'])
    assert.equal(await links.withdraw({ clientId, id }), false)
  })

  it('while a payment is under way takes no other once that fails', async () => {
    const id = await newLink(live)
    const page = await pageOf(id)
    await links.withdraw({ clientId, id })
    await decide(page, 'refuse')
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.equal((await checkout.pay(id, order)).kind, 'refused')
    assert.deepEqual(await eventStatusesOf(id), ['EXPIRED'])
  })

  it('of another merchant stays as it is', async () => {
    const id = await newLink(live)
    const { clientId: another } = await live.newMerchant()
    assert.equal(await links.withdraw({ clientId: another, id }), false)
    assert.equal(await statusOf(id), 'PENDING')
  })
})

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
