import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endTime, eventsOf, linkBody, linkOf, newLink, untilSeen } from '../../test/links.ts'
import { call, liveGateway, script } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'
import type { Db } from '../db/db.ts'
import { expireLink } from './end.ts'

const live = await liveGateway({ pace: 20 })
const { db, url, connect, links, newMerchant } = live
const { checkout } = live.links
const owner = connect({ asOwner: true })
const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
// Nothing happens to it before its payer decides.
const slow = '778880000'
const later = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
await script(live, slow, later, true)
const refused = { kind: 'refused', problems: ['not_open'] }

const statusesTold = async (id: string) => (await eventsOf(db, id)).map(({ STATUS }) => STATUS)
const statusOf = async (id: string) => (await linkOf(db, id)).status

/** Its time is over, but nobody has looked yet. */
async function endTimeUnseen(id: string): Promise<void> {
  await owner`
    update links set expires_at = now() - interval '1 second', due_at = null where id = ${id}`
}

/** A payment on a page of the wallet's own, which goes on when the test says so. */
async function onPage(id: string): Promise<(decision: 'approve' | 'refuse') => Promise<void>> {
  await checkout.pay(id, { ...order, serviceCode: 'WALLETB_SN_CASHOUT', phone: slow })
  const { state } = await untilSeen(live, id, 'waiting')
  assert.ok(state.step === 'redirect' && state.url !== null)
  const { url: page } = state
  return async (decision) => {
    await fetch(`${page}/${decision}`, { method: 'POST', redirect: 'manual' })
  }
}

/** How often a link was looked at once its time was over. */
async function lookedAt(run: Db, id: string, since: Date): Promise<boolean> {
  const [row] = await run<{ dueAt: Date | null }>`
    select due_at as "dueAt" from links where id = ${id}`
  return row?.dueAt !== null && row !== undefined && row.dueAt > since
}

describe('a link whose time is over', { concurrency: true }, () => {
  it('expires, and its merchant is told once', async () => {
    const merchant = { url, ...(await newMerchant(55)) }
    const sent = linkBody({ ClientPhone: '770', customData: '[]' })
    const id = await newLink(merchant, sent)
    await endTime(owner, id)
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual((await checkout.look(id))?.state, { kind: 'expired' })
    assert.deepEqual(await checkout.pay(id, order), refused)
    assert.equal(await checkout.giveUp(id), 'too_late')
    const { completedAt } = await linkOf(db, id)
    assert.deepEqual(await eventsOf(db, id), [
      {
        id,
        externalTransactionId: sent.externalTransactionId,
        transactionType: 'PAYMENT',
        AMOUNT: 7500,
        FEE: 0,
        PHONE_NUMBER: '770',
        STATUS: 'EXPIRED',
        CUSTOM_DATA: '[]',
        COMPLETED_AT: completedAt?.toISOString(),
        BALANCE: 55,
        PREVIOUS_BALANCE: 55,
        CURRENT_BALANCE: 55,
      },
    ])
    for (const path of ['merchant', 'transaction']) {
      const { body } = await call(merchant, `GET /api/v1/${path}/${id}`)
      assert.equal(body.transaction.Status, 'EXPIRED')
      assert.equal(body.transaction.Completed_at, completedAt?.toISOString())
    }
  })

  it('is over before anybody has noted it', async () => {
    const id = await newLink(live)
    await endTimeUnseen(id)
    assert.deepEqual((await checkout.look(id))?.state, { kind: 'expired' })
    assert.deepEqual(await checkout.pay(id, order), refused)
    assert.equal(await statusOf(id), 'PENDING')
    // Who gives up now is too late: it has expired, and nothing else.
    assert.equal(await checkout.giveUp(id), 'too_late')
    assert.deepEqual([await statusOf(id), await statusesTold(id)], ['EXPIRED', ['EXPIRED']])
  })

  it('does not expire a moment too soon', async () => {
    const id = await newLink(live)
    await owner`update links set due_at = now() where id = ${id}`
    assert.equal(
      await expireLink({ ...links.context, announceLinks: none }, await linkOf(db, id)),
      false,
    )
    assert.equal(await statusOf(id), 'PENDING')
  })
  const none = async () => () => {}
})

describe('a payment under way when the time is over', { concurrency: true }, () => {
  it('is waited for, and a success counts', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    const before = new Date()
    await endTime(owner, id)
    await eventually('somebody has looked', () => lookedAt(db, id, before))
    const { state } = (await checkout.look(id)) ?? {}
    assert.equal(state?.kind, 'waiting')
    assert.equal(await checkout.giveUp(id), 'too_late')
    assert.deepEqual([await statusOf(id), await statusesTold(id)], ['PENDING', []])
    await decide('approve')
    await untilSeen(live, id, 'paid')
    assert.deepEqual([await statusOf(id), await statusesTold(id)], ['SUCCESS', ['SUCCESS']])
  })

  it('that comes to nothing ends the link at once', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    await endTimeUnseen(id)
    await decide('refuse')
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual(await statusesTold(id), ['EXPIRED'])
    assert.deepEqual((await checkout.look(id))?.state, { kind: 'expired' })
    const [event] = await eventsOf(db, id)
    assert.deepEqual([event?.FEE, event?.PHONE_NUMBER], [0, slow])
  })

  it('that was the last try ends it as such', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    await owner`update links set attempts = 5 where id = ${id}`
    await endTimeUnseen(id)
    await decide('refuse')
    await eventually('it fails', async () => (await statusOf(id)) === 'FAILED')
    assert.deepEqual(await statusesTold(id), ['FAILED'])
    await owner`update links set attempts = 1 where id = ${id}`
  })

  it('leaves the rest of its time to a link that has some left', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    await decide('refuse')
    await untilSeen(live, id, 'choose')
    const { dueAt, expiresAt } = await linkOf(db, id)
    assert.deepEqual(dueAt, expiresAt)
    await endTime(owner, id)
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual(await statusesTold(id), ['EXPIRED'])
  })
})

describe('a code that was never used', { concurrency: true }, () => {
  async function onCode(): Promise<{ id: string; payment: string }> {
    const id = await newLink(live)
    await checkout.pay(id, { serviceCode: 'WALLETD_SN_CASHOUT', phone: '778880001' })
    await untilSeen(live, id, 'waiting')
    return { id, payment: (await linkOf(db, id)).openId ?? '' }
  }
  const age = (payment: string, seconds: number) => owner`
    update transactions set version = version + 1,
      created_at = created_at - ${seconds} * interval '1 second'
    where id = ${payment}`

  it('lets the link expire once it is no longer good', async () => {
    const { id, payment } = await onCode()
    assert.equal(await checkout.confirm(id, '0000'), 'wrong_code')
    await age(payment, 601)
    await endTime(owner, id)
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual(await statusesTold(id), ['EXPIRED'])
    const [row] = await db<{ status: string; failure: string }>`
      select status, failure from transactions where id = ${payment}`
    assert.deepEqual(row, { status: 'CANCELLED', failure: 'payer_timeout' })
  })

  // what keeps it open: a code that is still good, one whose answer nobody knows, time that is left
  const table: [name: string, seconds: number, tries: number, isOver: boolean][] = [
    ['is still good', 590, 0, true],
    ['may have been accepted', 700, 1, true],
    ['belongs to a link that has time', 700, 0, false],
  ]
  for (const [name, seconds, tries, isOver] of table)
    it(`is waited for while it ${name}`, async () => {
      const { id, payment } = await onCode()
      await age(payment, seconds)
      await owner`update transactions set otp_tries = ${tries} where id = ${payment}`
      const before = new Date()
      if (isOver) {
        await endTime(owner, id)
        await eventually('somebody has looked', () => lookedAt(db, id, before))
        // Long after the lease of who looked first.
        const { dueAt } = await linkOf(db, id)
        await eventually('it is put off', async () => {
          const now = (await linkOf(db, id)).dueAt
          return now !== null && dueAt !== null && now.getTime() > before.getTime() + 200_000
        })
      } else {
        await live.drive(payment)
        const { dueAt, expiresAt } = await linkOf(db, id)
        assert.deepEqual(dueAt, expiresAt)
      }
      assert.deepEqual([await statusOf(id), await statusesTold(id)], ['PENDING', []])
      assert.equal((await linkOf(db, id)).openId, payment)
    })
})

it('accounts for every franc', () => assertMoney(live))
