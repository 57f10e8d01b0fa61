import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { assertSound, balances } from '#test/ledger.ts'
import { adjust } from './adjustment.ts'
import { balanceOf, balancesOf } from './balance.ts'
import { settle } from './settlement.ts'
import { readBalances } from './store.ts'

const { db } = await testDatabase()
const clock = testClock()
const now = clock.now()
const move = (clientId: number, amount: number, ref: string) =>
  db.transaction((tx) => settle(tx, { clientId, amount, ref, now, actor: 'ops' }))

afterEach(() => assertSound(db))

describe('settle', () => {
  it('funds the merchant, pays it out, and records who did in the audit log', async () => {
    const clientId = await newClient(db, clock)
    assert.deepEqual(await move(clientId, 500, 'bank 1'), { before: 0, after: 500 })
    assert.deepEqual(await move(clientId, -200, 'bank 2'), { before: 500, after: 300 })
    assert.deepEqual(await balances(db, clientId), [300, 0])
    const trace = await db`
      select actor, action, details from audit_log
      where client_id = ${clientId} and action <> 'client.create' order by id`
    assert.deepEqual(trace, [
      { actor: 'ops', action: 'client.fund', details: { amount: 500, ref: 'bank 1' } },
      { actor: 'ops', action: 'client.withdraw', details: { amount: -200, ref: 'bank 2' } },
    ])
  })

  it('moves a single franc, in either direction', async () => {
    const clientId = await newClient(db, clock)
    assert.deepEqual(await move(clientId, 1, 'bank 1'), { before: 0, after: 1 })
    assert.deepEqual(await move(clientId, -1, 'bank 2'), { before: 1, after: 0 })
    const made = await db`
      select kind from ledger_postings where client_id = ${clientId} order by ref`
    assert.deepEqual(made, [{ kind: 'fund' }, { kind: 'withdraw' }])
  })

  const refused: [string, number, string, string, RegExp][] = [
    ['a reference used before', 500, 'used', 'conflict', /The reference used was used before/],
    [
      'to pay out more than the balance',
      -501,
      'bank 2',
      'insufficient_funds',
      /Insufficient balance/,
    ],
  ]
  for (const [name, amount, ref, kind, message] of refused)
    it(`refuses ${name}`, async () => {
      const clientId = await newClient(db, clock)
      await move(clientId, 500, 'used')
      await assert.rejects(move(clientId, amount, ref), { name: 'Refusal', kind, message })
      assert.deepEqual(await balances(db, clientId), [500, 0])
    })
})

describe('balances', () => {
  it('are those of the client that is asked about', async () => {
    const [first, second] = [await newClient(db, clock), await newClient(db, clock)]
    await move(first, 700, 'bank 1')
    assert.equal((await balanceOf(db, first)).balance, 700)
    assert.deepEqual(await balancesOf(db, first), { available: 700, held: 0 })
    assert.deepEqual(await balancesOf(db, second), { available: 0, held: 0 })
    const unknown = 1_000_000
    assert.deepEqual(await balancesOf(db, unknown), { available: 0, held: 0 })
    await assert.rejects(balanceOf(db, unknown), /has no accounts/)
    assert.deepEqual(await readBalances(db, [first]), [
      { clientId: first, available: 700, held: 0 },
    ])
    const all = await readBalances(db)
    assert.ok(all.some(({ clientId }) => clientId === second))
  })
})

describe('adjust', () => {
  const correct = (clientId: number, amount: number, ref: string, account = 'fees') =>
    db.transaction((tx) =>
      adjust(tx, { clientId, amount, account, ref, reason: 'a test', now, actor: 'ops' }),
    )

  it('gives and takes against an account, once for each reference', async () => {
    const clientId = await newClient(db, clock)
    assert.equal((await correct(clientId, 300, 'one')).after, 300)
    assert.equal((await correct(clientId, -100, 'two', 'provider:WALLETA:SN')).after, 200)
    const kind = 'conflict'
    await assert.rejects(correct(clientId, 5, 'two'), { name: 'Refusal', kind })
    const audited = await db`
      select details ->> 'ref' as ref from audit_log
      where client_id = ${clientId} and action = 'client.adjust' order by id`
    assert.deepEqual(audited, [{ ref: 'one' }, { ref: 'two' }])
    assert.deepEqual(await balances(db, clientId), [200, 0])
  })

  it('refuses to take more than there is, and accounts that are not for it', async () => {
    const clientId = await newClient(db, clock)
    await assert.rejects(correct(clientId, -1, 'one'), { kind: 'insufficient_funds' })
    for (const account of ['suspense', 'bank', 'provider:NOBODY:SN'])
      await assert.rejects(correct(clientId, 1, account, account), { kind: 'validation_failed' })
    assert.deepEqual(await balances(db, clientId), [0, 0])
  })
})
