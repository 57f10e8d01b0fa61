import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Db } from '#data/db/db.ts'
import { endLifetime, eventsOf, linkBody, linkOf, newLink, untilSeen } from '#test/links.ts'
import { call, liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { expireLink } from './end.ts'

const live = await liveGateway({ pace: 20 })
const { db, url, connect, links, newMerchant } = live
const { checkout } = live.links
const owner = connect({ asOwner: true })
const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
// The payments of this number stay open until the payer decides.
const slow = '778880000'
const later = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
await script(live, slow, later, true)
const refused = { kind: 'refused', problems: ['not_open'] }

const eventStatusesOf = async (id: string) => (await eventsOf(db, id)).map(({ STATUS }) => STATUS)
const statusOf = async (id: string) => (await linkOf(db, id)).status

/** Ends the lifetime of a link without making it due for the sweeper. */
async function endLifetimeUnswept(id: string): Promise<void> {
  await owner`
    update links set expires_at = now() - interval '1 second', due_at = null where id = ${id}`
}

/** Starts a payment on the wallet's own page; returns what approves or refuses it there. */
async function onPage(id: string): Promise<(decision: 'approve' | 'refuse') => Promise<void>> {
  await checkout.pay(id, { ...order, serviceCode: 'WALLETB_SN_CASHOUT', phone: slow })
  const { state } = await untilSeen(live, id, 'waiting')
  assert.ok(state.step === 'redirect' && state.url !== null)
  const { url: page } = state
  return async (decision) => {
    await fetch(`${page}/${decision}`, { method: 'POST', redirect: 'manual' })
  }
}

/** Whether the sweeper has claimed a link since a time. */
async function wasClaimed(run: Db, id: string, since: Date): Promise<boolean> {
  const [row] = await run<{ dueAt: Date | null }>`
    select due_at as "dueAt" from links where id = ${id}`
  return row?.dueAt !== null && row !== undefined && row.dueAt > since
}

describe('a link whose lifetime is over', { concurrency: true }, () => {
  it('expires, with one event', async () => {
    const merchant = { url, ...(await newMerchant(55)) }
    const sent = linkBody({ ClientPhone: '770', customData: '[]' })
    const id = await newLink(merchant, sent)
    await endLifetime(owner, id)
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
        FAILURE_CODE: 'LINK_EXPIRED',
        FAILURE_MESSAGE: "Le lien de paiement a expiré avant d'être payé",
      },
    ])
    for (const path of ['merchant', 'transaction']) {
      const { body } = await call(merchant, `GET /api/v1/${path}/${id}`)
      assert.equal(body.transaction.Status, 'EXPIRED')
      assert.equal(body.transaction.Completed_at, completedAt?.toISOString())
    }
  })

  it('is refused to payers before the sweeper has ended it', async () => {
    const id = await newLink(live)
    await endLifetimeUnswept(id)
    assert.deepEqual((await checkout.look(id))?.state, { kind: 'expired' })
    assert.deepEqual(await checkout.pay(id, order), refused)
    assert.equal(await statusOf(id), 'PENDING')
    // Giving up is too late: the link expires.
    assert.equal(await checkout.giveUp(id), 'too_late')
    assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['EXPIRED', ['EXPIRED']])
  })

  it('is ended by its expiry time, not by its due date', async () => {
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

describe('a payment under way when the lifetime of its link ends', { concurrency: true }, () => {
  it('keeps the link open, and its success counts', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    const before = new Date()
    await endLifetime(owner, id)
    await eventually('the sweeper has claimed it', () => wasClaimed(db, id, before))
    const { state } = (await checkout.look(id)) ?? {}
    assert.equal(state?.kind, 'waiting')
    assert.equal(await checkout.giveUp(id), 'too_late')
    assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['PENDING', []])
    await decide('approve')
    await untilSeen(live, id, 'paid')
    assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['SUCCESS', ['SUCCESS']])
  })

  it('that fails then ends the link at once, as EXPIRED', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    await endLifetimeUnswept(id)
    await decide('refuse')
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual(await eventStatusesOf(id), ['EXPIRED'])
    assert.deepEqual((await checkout.look(id))?.state, { kind: 'expired' })
    const [event] = await eventsOf(db, id)
    assert.deepEqual([event?.FEE, event?.PHONE_NUMBER], [0, slow])
  })

  it('that fails as the last attempt ends the link as FAILED', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    await owner`update links set attempts = 5 where id = ${id}`
    await endLifetimeUnswept(id)
    await decide('refuse')
    await eventually('it fails', async () => (await statusOf(id)) === 'FAILED')
    assert.deepEqual(await eventStatusesOf(id), ['FAILED'])
    await owner`update links set attempts = 1 where id = ${id}`
  })

  it('that fails before then leaves the link open until then', async () => {
    const id = await newLink(live)
    const decide = await onPage(id)
    await decide('refuse')
    await untilSeen(live, id, 'choose')
    const { dueAt, expiresAt } = await linkOf(db, id)
    assert.deepEqual(dueAt, expiresAt)
    await endLifetime(owner, id)
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual(await eventStatusesOf(id), ['EXPIRED'])
  })
})

describe('a one-time code that was never used', { concurrency: true }, () => {
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

  it('lets the link expire once the code has expired', async () => {
    const { id, payment } = await onCode()
    assert.equal(await checkout.confirm(id, '0000'), 'wrong_code')
    await age(payment, 601)
    await endLifetime(owner, id)
    await live.drive(payment)
    await eventually('it expires', async () => (await statusOf(id)) === 'EXPIRED')
    assert.deepEqual(await eventStatusesOf(id), ['EXPIRED'])
    const [row] = await db<{ status: string; failure: string }>`
      select status, failure from transactions where id = ${payment}`
    assert.deepEqual(row, { status: 'FAILED', failure: 'wrong_code' })
  })

  it('leaves the link open for another payment until its lifetime is over', async () => {
    const { id, payment } = await onCode()
    await age(payment, 601)
    await live.drive(payment)
    assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['PENDING', []])
    const { openId, dueAt, expiresAt } = await linkOf(db, id)
    assert.deepEqual([openId, dueAt], [null, expiresAt])
    const { state } = (await checkout.look(id)) ?? {}
    assert.equal(state?.kind === 'choose' && state.lastFailure?.cause, 'code_expired')
  })

  // why the link stays open, age of the code, tries
  const table: [name: string, seconds: number, tries: number][] = [
    ['is still valid', 590, 0],
    ['may have been accepted', 700, 1],
  ]
  for (const [name, seconds, tries] of table)
    it(`keeps the link open while it ${name}`, async () => {
      const { id, payment } = await onCode()
      await age(payment, seconds)
      await owner`update transactions set otp_tries = ${tries} where id = ${payment}`
      const before = new Date()
      await endLifetime(owner, id)
      await live.drive(payment)
      await eventually('the sweeper has claimed it', () => wasClaimed(db, id, before))
      // Then postponed to long after the lease of that claim.
      const { dueAt } = await linkOf(db, id)
      await eventually('it is postponed', async () => {
        const now = (await linkOf(db, id)).dueAt
        return now !== null && dueAt !== null && now.getTime() > before.getTime() + 200_000
      })
      assert.deepEqual([await statusOf(id), await eventStatusesOf(id)], ['PENDING', []])
      assert.equal((await linkOf(db, id)).openId, payment)
    })
})

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
