import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { estimateRatio, median, slopeOf, summarizeLatency, summarizeSpread } from './statistics.ts'

describe('statistics', () => {
  it('takes percentiles from measured values, without interpolation', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    assert.deepEqual(summarizeLatency(hundred), { p50: 50, p95: 95, p99: 99, max: 100 })
    assert.deepEqual(summarizeLatency([7]), { p50: 7, p95: 7, p99: 7, max: 7 })
    assert.deepEqual(summarizeLatency([]), { p50: 0, p95: 0, p99: 0, max: 0 })
  })

  it('estimates a ratio from rounds, with the range that their differences allow', () => {
    assert.deepEqual(estimateRatio([1.1, 1.1, 1.1]), { mean: 1.1, low: 1.1, high: 1.1 })
    const { mean, low, high } = estimateRatio([0.5, 2, 0.5, 2])
    // The logarithms are ±0.693, with a standard deviation of 0.8 and a standard error of 0.4.
    assert.deepEqual([mean, low, high], [1, 0.456, 2.191])
  })

  it('takes the median and the range', () => {
    assert.equal(median([9, 1, 5]), 5)
    assert.equal(median([4, 1, 2, 8]), 3)
    assert.equal(median([]), 0)
    assert.deepEqual(summarizeSpread([0.333, 0.5, 0.1]), { median: 0.33, min: 0.1, max: 0.5 })
  })

  it('takes the least-squares slope', () => {
    assert.equal(slopeOf([[0, 5], [1, 7], [2, 9]]), 2) // biome-ignore format: a row
    assert.equal(slopeOf([[3, 5]]), 0)
  })
})
