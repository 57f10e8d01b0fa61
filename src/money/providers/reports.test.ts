import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProcessReport, ProviderReport } from './report-store.ts'
import { combineReports } from './reports.ts'

const [early, late] = ['2026-01-15T10:00:00.000Z', '2026-01-15T10:05:00.000Z']

function report(
  role: ProcessReport['role'],
  state: ProviderReport['state'],
  since: string,
  durations: number[] = [],
): ProcessReport {
  const own: ProviderReport = { name: 'WALLETA_SN', state, since, durations }
  const other: ProviderReport = { ...own, name: 'WALLETB_SN', state: 'down' }
  return { id: '', host: 'a', pid: 1, role, at: new Date(late), providers: [other, own] }
}

describe('the reports of several processes about one provider', () => {
  // name, reports, state, since, processes, open in
  const scenarios: [string, ProcessReport[], string, string | null, number, number][] = [
    ['none', [], 'unknown', null, 0, 0],
    ['of a worker only', [report('worker', 'up', early)], 'unknown', null, 0, 0],
    ['closed', [report('all', 'up', early), report('api', 'up', late)], 'closed', late, 2, 0],
    ['open in one', [report('all', 'down', late), report('api', 'up', early)], 'open', late, 2, 1],
    [
      'open in all',
      [report('all', 'down', late), report('all', 'down', early)],
      'open',
      early,
      2,
      2,
    ],
    [
      'tried',
      [report('all', 'trying', early), report('all', 'up', late)],
      'half_open',
      early,
      2,
      1,
    ],
    [
      'open in a worker',
      [report('all', 'up', early), report('worker', 'down', late)],
      'closed',
      early,
      1,
      0,
    ],
  ]
  for (const [name, reports, state, since, processes, openIn] of scenarios)
    it(name, () => {
      const { breaker } = combineReports(reports, 'WALLETA_SN')
      assert.deepEqual(
        { ...breaker, since: breaker.since?.toISOString() ?? null },
        { state, since, processes, openIn },
      )
    })

  it('the percentile is that of all calls, workers’ too', () => {
    const fast = report('all', 'up', early, [18])
    const slow = report('worker', 'up', early, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2])
    assert.equal(combineReports([fast], 'WALLETA_SN').p95Ms, 2)
    assert.equal(combineReports([fast, slow], 'WALLETA_SN').p95Ms, 1000)
    assert.equal(combineReports([], 'WALLETA_SN').p95Ms, null)
  })
})
