import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { keysFor, lastingKeyFor, type PurposeKeys, seal, unseal } from './seal.ts'

const secretKey = Buffer.alloc(32, 1)
const keys = keysFor(secretKey, 'tests')

describe('a sealed text', () => {
  it('opens to the same text, for any text and any context', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, (words, context) => {
        assert.equal(unseal(keys, seal(keys, words, context), context), words)
      }),
    )
  })

  it('does not contain the plain text, and differs each time', () => {
    const [one, two] = [seal(keys, 'whsec_hush', 'a'), seal(keys, 'whsec_hush', 'a')]
    assert.ok(!one.includes('hush'))
    assert.notDeepEqual(one, two)
  })

  it('does not open after any single bit was flipped', () => {
    const sealed = seal(keys, 'hush', 'a')
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.throws(() => unseal(keys, changed, 'a'), `bit ${bit}`)
    }
  })

  const sealed = seal(keys, 'hush', 'client 1')
  const scenarios: [string, PurposeKeys, Buffer, string][] = [
    ["another owner's context", keys, sealed, 'client 2'],
    ['no context', keys, sealed, ''],
    ['another key', keysFor(Buffer.alloc(32, 2), 'tests'), sealed, 'client 1'],
    ['the key of another purpose', keysFor(secretKey, 'others'), sealed, 'client 1'],
    ['its end cut off', keys, sealed.subarray(0, -1), 'client 1'],
    ['all its bytes cut off', keys, Buffer.alloc(0), 'client 1'],
  ]
  for (const [name, otherKeys, bytes, context] of scenarios)
    it(`does not open with ${name}`, () => {
      assert.throws(() => unseal(otherKeys, bytes, context), /SECRET_KEY is not the one/)
    })
})

describe('a ring of keys', () => {
  const [before, next] = [Buffer.alloc(32, 3), Buffer.alloc(32, 4)]
  const first = keysFor({ sealing: before, others: [next] }, 'tests')
  const second = keysFor({ sealing: next, others: [before] }, 'tests')
  const end = keysFor(next, 'tests')

  it('opens what each of its keys has sealed, and seals with one', () => {
    assert.equal(unseal(second, seal(first, 'hush', 'a'), 'a'), 'hush')
    assert.equal(unseal(first, seal(second, 'hush', 'a'), 'a'), 'hush')
    assert.equal(unseal(end, seal(second, 'hush', 'a'), 'a'), 'hush')
    assert.throws(() => unseal(end, seal(first, 'hush', 'a'), 'a'), /SECRET_KEY is not the one/)
  })

  it('hashes with the key that was kept, else with the one that seals', () => {
    const kept = new Map([['hashes', Buffer.alloc(32, 5)]])
    const ring = { sealing: next, others: [], kept }
    assert.deepEqual(lastingKeyFor(ring, 'hashes'), kept.get('hashes'))
    assert.deepEqual(lastingKeyFor(ring, 'others'), lastingKeyFor(next, 'others'))
    assert.notDeepEqual(lastingKeyFor(ring, 'others'), lastingKeyFor(before, 'others'))
  })
})
