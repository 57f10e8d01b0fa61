import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { steadyRate } from './round.ts'

describe('the steady rate of whole lives', () => {
  const report = { webhooks: { count: 3000, atMs: 14_000 } }

  it('counts from the first webhook to the end of the load', () => {
    assert.equal(steadyRate(report, { firstMs: 11_000 }), 1000)
  })

  it('is undefined without webhooks, and within a second of the first one', () => {
    assert.equal(steadyRate({ webhooks: null }, { firstMs: 11_000 }), undefined)
    assert.equal(steadyRate({ webhooks: { count: 0, atMs: 0 } }, { firstMs: 0 }), undefined)
    assert.equal(steadyRate(report, { firstMs: 13_500 }), undefined)
    assert.equal(steadyRate(report, undefined), undefined)
  })
})
