import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { authenticator } from './authenticate.ts'
import { issueKey } from './keys.ts'

const { db } = await testDatabase()
const clock = testClock()

describe('the authenticator', () => {
  it('finds each of many callers in concurrent lookups', async () => {
    const clients = await Promise.all(Array.from({ length: 9 }, () => newClient(db, clock)))
    const secrets = await Promise.all(clients.map(keyOf))
    const authenticate = authenticator({ db, clock })
    const given = ['nobody', 'none', 'no one', ...secrets, ...secrets.toReversed()]
    const callers = await Promise.all(given.map(authenticate))
    assert.deepEqual(
      callers.map((caller) => caller?.clientId),
      [undefined, undefined, undefined, ...clients, ...clients.toReversed()],
    )
  })
})

async function keyOf(clientId: number): Promise<string> {
  const deps = { clock, mode: 'sandbox' } as const
  const order = { clientId, label: 'main', actor: 'test' }
  return (await db.transaction((tx) => issueKey(tx, deps, order))).secret
}
