import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { eventually } from '#test/wait.ts'
import { setLimit } from './change.ts'
import type { LimitCheck } from './rules.ts'
import { checkLimits } from './take.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const clock = testClock('2026-03-01T12:00:00.000Z')
const allScopes = ['WALLETA_SN_CASHIN', 'WALLETA_SN_CASHOUT', 'WALLETB_SN_CASHIN']

for (const count of [2, 3])
  test(`a group locks ${count} sums in the order of their keys, not in its own`, async () => {
    const scopes = allScopes.slice(0, count)
    const clientId = await newClient(db, clock, 1_000_000)
    const check = (scope: string): LimitCheck => {
      const sum = { clientId, scope, day: '2026-03-01', amount: 500 }
      const none = { externalId: null, phone: null, attemptsMax: null, isBlocked: false }
      return { ...sum, ...none, id: crypto.randomUUID() }
    }
    const checks = scopes.map(check).toReversed()
    const take = () => db.transaction((tx) => checkLimits(tx, checks, clock.now()))
    await db.transaction(async (tx) => {
      for (const scope of scopes)
        await setLimit(tx, { clientId, scope, countMax: 10, now: clock.now(), actor: 'test' })
    })
    await take()

    const [first, ...others] = scopes
    const taken = await db.transaction(async (tx) => {
      await tx`select from limit_days where client_id = ${clientId} and scope = ${first} for update`
      const waiting = take()
      await eventually('the group waits for the first sum', async () => {
        const rows = await owner`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        return rows.length > 0
      })
      await tx`
        select from limit_days where client_id = ${clientId} and scope = any(${others}::text[])
        for update nowait`
      return { waiting }
    })
    assert.equal((await taken.waiting).counted.size, count)
  })
