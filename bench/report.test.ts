import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatTable, type Measured, summarizeRounds } from './report.ts'

describe('the report', () => {
  const roundOf = (perSecond: number, errors: number) =>
    ({
      answered: 10,
      errors,
      done: 9,
      perSecond,
      latency: { p50: 1, p95: 2, p99: 3, max: 4 },
      cpuMsEach: { gateway: 1.5, postgres: 0.5 },
      held: { rssMb: 100, descriptors: 1, sockets: 1 },
      commitsEach: 0.5,
      rowsEach: 12,
      walBytesEach: 2048,
      statements: [],
    }) as unknown as Measured['round']

  it('takes the median of the rounds and of their ratios to TPC-B', () => {
    const { ratio, perSecond, errors } = summarizeRounds('life', 'title', [
      { round: roundOf(100, 0), tpcb: [100, 300] },
      { round: roundOf(300, 1), tpcb: [300, 100] },
      { round: roundOf(200, 0), tpcb: [100, 100] },
    ])
    assert.deepEqual(ratio, { median: 1.5, min: 0.5, max: 2 })
    assert.deepEqual(perSecond, { median: 200, min: 100, max: 300 })
    // A payment that was accepted but whose webhook never arrived counts as an error too.
    assert.equal(errors, 4)
  })

  it('is a Markdown table, also without pgbench', () => {
    const result = summarizeRounds('life', 'title', [{ round: roundOf(1, 0), tpcb: [null, null] }])
    assert.equal(result.ratio, null)
    const [head = '', rule = '', row = ''] = formatTable([result])
    assert.equal(head.length, row.length)
    assert.match(rule, /^\| -+ \| -*: \|/)
    assert.match(
      row.replaceAll(/[| ]+/g, ' ').trim(),
      /^life 1 none none 1 2 3 1 1.50 0.50 0.50 12.0 2.0 100/,
    )
  })
})
