import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatAmount } from './money.ts'

describe('formatAmount', () => {
  const rows: [number, string][] = [
    [0, '0\u00a0F CFA'],
    [100, '100\u00a0F CFA'],
    [1000, '1\u202f000\u00a0F CFA'],
    [25_500, '25\u202f500\u00a0F CFA'],
    [123_456, '123\u202f456\u00a0F CFA'],
    [1_000_000, '1\u202f000\u202f000\u00a0F CFA'],
    [-100_000, '-100\u202f000\u00a0F CFA'],
    [Number.MAX_SAFE_INTEGER, '9\u202f007\u202f199\u202f254\u202f740\u202f991\u00a0F CFA'],
  ]
  for (const [amount, expected] of rows)
    it(`writes ${amount} as ${expected}`, () => assert.equal(formatAmount(amount), expected))
})
