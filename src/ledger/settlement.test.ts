import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { assertSound, balances } from '../../test/ledger.ts'
import { settle } from './settlement.ts'

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
