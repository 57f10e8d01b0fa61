import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { base32, stepAt, stepOfCode, totpAt } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('one-time codes', () => {
  // RFC 6238, appendix B, SHA-1; the last six of its eight digits.
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const)
    it(`are ${code} after ${seconds} s`, () =>
      assert.equal(totpAt(secret, stepAt(new Date(seconds * 1000))), code))

  it('are right one step early or late, and no more', () => {
    const now = new Date(1_234_567_890_000)
    const found = [-2, -1, 0, 1, 2].map((off) =>
      stepOfCode(secret, totpAt(secret, stepAt(now) + off), now),
    )
    const step = stepAt(now)
    assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined])
  })

  it('come from a secret that apps read as base32', () => {
    assert.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    assert.equal(base32(Buffer.from('f')), 'MY')
  })
})
