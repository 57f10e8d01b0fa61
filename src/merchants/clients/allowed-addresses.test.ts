import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAddressAllowed } from './allowed-addresses.ts'

describe('a key with allowed networks', () => {
  // allowed networks, caller's address, whether it is allowed
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
