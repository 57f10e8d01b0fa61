import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { authenticator, isAddressAllowed } from './authenticate.ts'
import { issueKey } from './keys.ts'

const { db } = await testDatabase()
const clock = testClock()

describe('the authenticator', () => {
  it('tells many callers apart when they come together', async () => {
    const clients = await Promise.all(Array.from({ length: 9 }, () => newClient(db, clock)))
    const secrets = await Promise.all(clients.map(keyOf))
    const known = authenticator(db, clock)
    const asked = ['nobody', 'none', 'no one', ...secrets, ...secrets.toReversed()]
    const callers = await Promise.all(asked.map(known))
    assert.deepEqual(
      callers.map((caller) => caller?.clientId),
      [undefined, undefined, undefined, ...clients, ...clients.toReversed()],
    )
  })
})

describe('a key with allowed networks', () => {
  // allowed, caller's address, whether it may
  const scenarios: [string, string, boolean][] = [
    ['', '203.0.113.9', true],
    ['', '2001:db8::1', true],
    ['10.0.0.5/32', '10.0.0.5', true],
    ['10.0.0.5/32', '10.0.0.6', false],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['10.0.0.0/8', '::ffff:10.0.0.5', true],
    ['10.0.0.0/8', '::ffff:0a00:0005', true],
    ['10.0.0.0/8', '::ffff:11.0.0.5', false],
    ['10.0.0.0/8', '2001:db8::1', false],
    ['::ffff:10.0.0.0/104', '10.0.0.5', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/32', '10.0.0.5', false],
    ['::1/128', '::1', true],
    ['::1/128', '0:0:0:0:0:0:0:1', true],
    ['::1/128', '127.0.0.1', false],
    ['192.0.2.0/24 10.0.0.0/8 ::1/128', '10.1.1.1', true],
    ['192.0.2.0/24 10.0.0.0/8 ::1/128', '::2', false],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false],
  ]
  for (const [allowed, address, expected] of scenarios)
    it(`[${allowed}] ${expected ? 'serves' : 'refuses'} "${address}"`, () => {
      assert.equal(isAddressAllowed(allowed.split(' ').filter(Boolean), address), expected)
    })
})

async function keyOf(clientId: number): Promise<string> {
  const deps = { clock, mode: 'sandbox' } as const
  const order = { clientId, label: 'main', actor: 'test' }
  return (await db.transaction((tx) => issueKey(tx, deps, order))).secret
}
