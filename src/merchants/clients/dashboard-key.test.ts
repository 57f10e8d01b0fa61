import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAudit } from '#data/db/audit-log.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { dashboardKey } from './dashboard-key.ts'
import { readKeys } from './key-store.ts'
import { issueKey, revokeKey, rotateKey } from './keys.ts'

const { db, connect } = await testDatabase()
const clock = testClock()
const actor = 'ops'
const deps = { clock, mode: 'sandbox' } as const

describe('the key of the dashboard', () => {
  it('is created once, also by many at once', async () => {
    const clientId = await newClient(db, clock)
    const others = Array.from({ length: 3 }, () => connect())
    const ids = await Promise.all(
      [db, ...others, db, db].map((one) => dashboardKey({ db: one, clock }, clientId)),
    )
    assert.equal(new Set(ids).size, 1)
    assert.equal((await readKeys(db, clientId)).length, 1)
    const audit = await readAudit(db, { clientId, before: null, limit: 10 })
    const issued = audit.filter(({ action }) => action === 'key.issue')
    assert.deepEqual(
      issued.map(({ actor: by, details }) => [by, details]),
      [['dashboard', { keyId: ids[0], label: 'dashboard', scope: 'key' }]],
    )
  })

  it('has no secret, and lists show it as what it is', async () => {
    const clientId = await newClient(db, clock)
    const id = await dashboardKey({ db, clock }, clientId)
    const own = await db.transaction((tx) =>
      issueKey(tx, deps, { clientId, label: 'dashboard', actor }),
    )
    assert.equal(await dashboardKey({ db, clock }, clientId), id, 'a key of that label is another')
    const listed = await readKeys(db, clientId)
    assert.deepEqual(
      new Map(listed.map((key) => [key.id, [key.label, key.isDashboard, key.secrets]])),
      new Map([
        [id, ['dashboard', true, 0]],
        [own.id, ['dashboard', false, 1]],
      ]),
    )
  })

  it('cannot be given a secret or revoked', async () => {
    const id = await dashboardKey({ db, clock }, await newClient(db, clock))
    const message = /reserved for the dashboard/
    for (const order of [
      () => rotateKey({ db, ...deps }, { id, overlapMs: 0, actor }),
      () => revokeKey({ db, clock }, { id, actor }),
    ])
      await assert.rejects(order(), { name: 'Refusal', kind: 'conflict', message })
  })

  it('is refused for an unknown client', async () =>
    assert.rejects(dashboardKey({ db, clock }, 999_999), { kind: 'not_found' }))
})
