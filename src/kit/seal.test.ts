import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { keyFor, seal, unseal } from './seal.ts'

const secretKey = Buffer.alloc(32, 1)
const key = keyFor(secretKey, 'tests')

describe('a sealed text', () => {
  it('opens to the same text, for any text and any context', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, (words, context) => {
        assert.equal(unseal(key, seal(key, words, context), context), words)
      }),
    )
  })

  it('does not contain the plain text, and differs each time', () => {
    const [one, two] = [seal(key, 'whsec_hush', 'a'), seal(key, 'whsec_hush', 'a')]
    assert.ok(!one.includes('hush'))
    assert.notDeepEqual(one, two)
  })

  it('does not open after any single bit was flipped', () => {
    const sealed = seal(key, 'hush', 'a')
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.throws(() => unseal(key, changed, 'a'), `bit ${bit}`)
    }
  })

  const sealed = seal(key, 'hush', 'client 1')
  const scenarios: [string, Buffer, Buffer, string][] = [
    ["another owner's context", key, sealed, 'client 2'],
    ['no context', key, sealed, ''],
    ['another key', keyFor(Buffer.alloc(32, 2), 'tests'), sealed, 'client 1'],
    ['the key of another purpose', keyFor(secretKey, 'others'), sealed, 'client 1'],
    ['its end cut off', key, sealed.subarray(0, -1), 'client 1'],
    ['all its bytes cut off', key, Buffer.alloc(0), 'client 1'],
  ]
  for (const [name, otherKey, bytes, context] of scenarios)
    it(`does not open with ${name}`, () => {
      assert.throws(() => unseal(otherKey, bytes, context), /SECRET_KEY is not the one/)
    })
})
