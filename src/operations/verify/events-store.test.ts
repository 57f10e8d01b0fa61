import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { call, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { findEventBreaks } from './events-store.ts'
import { findTransactionBreaks } from './transactions-store.ts'

const gateway = await liveGateway({ pace: 20 })
const { db } = gateway
const owner = gateway.connect({ asOwner: true })
const ids: Record<string, string> = {}

before(async () => {
  for (const [name, serviceCode, number] of [
    ['paid', 'WALLETA_SN_CASHOUT', '771234567'],
    ['sent', 'WALLETA_SN_CASHIN', '771234567'],
    ['failed', 'WALLETA_SN_CASHIN', '770000001'],
  ] as const) {
    const body = initBody({ serviceCode, number })
    const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
    ids[name] = answer.body.transaction.transactionId
    await until(gateway, ids[name] ?? '', isEnd)
  }
  await assertMoney(gateway)
})

/** Changes the record of a name as the database's owner; returns the breaks then found. */
async function breaksAfter(change: (id: string) => Promise<unknown>, name: string) {
  await owner`alter table events disable trigger user`
  await change(ids[name] ?? '')
  const breaks = [...(await findTransactionBreaks(db)), ...(await findEventBreaks(db))]
  return breaks.map(({ where, what }) => `${where.replace(ids[name] ?? '', name)} ${what}`)
}

describe('the checks of transactions and events find', () => {
  it('a failed payment whose money was settled', async () => {
    const set = (status: string) => (id: string) =>
      owner`update transactions set status = ${status} where id = ${id}`
    assert.deepEqual(await breaksAfter(set('FAILED'), 'paid'), [
      'transaction paid is FAILED and was settled 1 times',
      'transaction paid is FAILED, its history says SUCCESS',
    ])
    assert.deepEqual(await breaksAfter(set('SUCCESS'), 'paid'), [])
  })

  it('a failed payout whose hold was not released', async () => {
    const set = (status: string) => (id: string) =>
      owner`update transactions set status = ${status} where id = ${id}`
    const seen = await breaksAfter(set('FAILED'), 'sent')
    assert.ok(seen.includes('transaction sent is FAILED and was released 0 times'), seen.join())
    assert.deepEqual(await breaksAfter(set('SUCCESS'), 'sent'), [])
  })

  it('a counted refund that does not exist', async () => {
    const count = (refunded: number) => (id: string) =>
      owner`update transactions set refunded = ${refunded} where id = ${id}`
    const seen = await breaksAfter(count(7), 'paid')
    assert.deepEqual(seen, ['transaction paid counts 7 refunded of 0'])
    assert.deepEqual(await breaksAfter(count(0), 'paid'), [])
  })

  it('an event with another key than its transaction', async () => {
    const other = '018f0000-0000-7000-8000-000000000000'
    const set = (key: string | null) => (id: string) =>
      owner`
      update events e set key_id = coalesce(${key}::uuid, t.key_id)
      from transactions t where t.id = e.record_id and t.id = ${id}`
    assert.deepEqual(await breaksAfter(set(other), 'paid'), [
      'transaction paid has an event of another key',
    ])
    assert.deepEqual(await breaksAfter(set(null), 'paid'), [])
  })

  it('an ended transaction without an event', async () => {
    const seen = await breaksAfter(async (id) => {
      await owner`delete from deliveries where event_id in (
        select id from events where record_id = ${id})`
      await owner`delete from events where record_id = ${id}`
    }, 'failed')
    assert.deepEqual(seen.toSorted(), [
      'events end at 3, counted 2',
      'transaction failed ended without an event',
    ])
  })
})
