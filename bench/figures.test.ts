import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nameOf } from './database.ts'
import { latencyOf, median, slopeOf, spreadOf } from './figures.ts'
import { Misuse, readHistoryOptions, readOptions, readSoakOptions } from './options.ts'
import type { Measured } from './report.ts'
import { resultOf, tableOf } from './report.ts'
import { steadyRate } from './round.ts'
import { scenarioNames } from './scenarios.ts'
import { barChart, lineChart } from './svg.ts'

describe('figures', () => {
  it('takes percentiles that were really measured', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    assert.deepEqual(latencyOf(hundred), { p50: 50, p95: 95, p99: 99, max: 100 })
    assert.deepEqual(latencyOf([7]), { p50: 7, p95: 7, p99: 7, max: 7 })
    assert.deepEqual(latencyOf([]), { p50: 0, p95: 0, p99: 0, max: 0 })
  })

  it('takes the middle and the spread', () => {
    assert.equal(median([9, 1, 5]), 5)
    assert.equal(median([4, 1, 2, 8]), 3)
    assert.equal(median([]), 0)
    assert.deepEqual(spreadOf([0.333, 0.5, 0.1]), { median: 0.33, min: 0.1, max: 0.5 })
  })

  it('takes the slope', () => {
    assert.equal(slopeOf([[0, 5], [1, 7], [2, 9]]), 2) // biome-ignore format: a row
    assert.equal(slopeOf([[3, 5]]), 0)
  })
})

describe('the rate of whole lives', () => {
  const report = { webhooks: { count: 3000, atMs: 14_000 } }

  it('is counted from the first webhook to the end of the load', () => {
    assert.equal(steadyRate(report, { firstMs: 11_000 }), 1000)
  })

  it('is not known without webhooks, or within a second of the first', () => {
    assert.equal(steadyRate({ webhooks: null }, { firstMs: 11_000 }), undefined)
    assert.equal(steadyRate({ webhooks: { count: 0, atMs: 0 } }, { firstMs: 0 }), undefined)
    assert.equal(steadyRate(report, { firstMs: 13_500 }), undefined)
    assert.equal(steadyRate(report, undefined), undefined)
  })
})

describe('the words of the command line', () => {
  it('have good defaults', () => {
    const { scenarios, clients, seconds, rounds, rate } = readOptions([])
    assert.deepEqual(scenarios, scenarioNames)
    assert.deepEqual(
      { clients, seconds, rounds, rate },
      {
        clients: 256,
        seconds: 10,
        rounds: 3,
        rate: null,
      },
    )
  })

  it('are read', () => {
    const words = '--scenario life,init --clients 8 --seconds 2 --rounds 1 --rate 300 --json'
    const { scenarios, clients, rate, isJson } = readOptions(words.split(' '))
    assert.deepEqual(
      { scenarios, clients, rate, isJson },
      {
        scenarios: ['life', 'init'],
        clients: 8,
        rate: 300,
        isJson: true,
      },
    )
    assert.equal(readOptions(['--quick']).rounds, 1)
    assert.equal(readOptions(['--quick', '--rounds', '4']).rounds, 4)
  })

  const wrong: [words: string, sentence: RegExp][] = [
    ['--scenario nothing', /--scenario must be all or some of init, life/],
    ['--scenario ,', /--scenario must be/],
    ['--clients 0', /--clients must be a whole number from 1 to 10000, not "0"/],
    ['--seconds 1.5', /--seconds must be a whole number/],
    ['--rate many', /--rate must be/],
    ['--nonsense', /nonsense/],
    ['--clients 0 --rounds no', /--clients must be .*\n--rounds must be/],
  ]
  const others: [words: string, sentence: RegExp, read: (words: string[]) => unknown][] = [
    ['--transactions 0', /--transactions must be a whole number from 1/, readHistoryOptions],
    ['--minutes 0.5 --rate 0', /--minutes must be .*\n--rate must be/, readSoakOptions],
  ]
  for (const [words, sentence, read = readOptions] of [...wrong, ...others])
    it(`refuses ${words}`, () => {
      assert.throws(
        () => read(words.split(' ')),
        (problem) => {
          assert.ok(problem instanceof Misuse)
          assert.match(problem.message, sentence)
          return true
        },
      )
    })
})

describe('a statement is named by what it writes', () => {
  const names: [text: string, name: string][] = [
    [
      'with a as (insert into attempts (id) select 1) insert into transactions (id) select 1',
      'insert attempts, insert transactions',
    ],
    ['update deliveries d set due_at = $1 from due', 'update deliveries'],
    [
      'select id from transactions order by id for update skip locked',
      'select id from transactions order by id',
    ],
    ['select 1 for update', 'select 1 for update'],
    ['insert into p (a) select 1 on conflict (a) do update set last = 1', 'insert p'],
  ]
  for (const [text, name] of names) it(name, () => assert.equal(nameOf(text), name))
})

describe('a result', () => {
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

  it('is the ratio to TPC-B of each round, and the middle of them', () => {
    const { ratio, perSecond, errors } = resultOf('life', 'title', [
      { round: roundOf(100, 0), tpcb: [100, 300] },
      { round: roundOf(300, 1), tpcb: [300, 100] },
      { round: roundOf(200, 0), tpcb: [100, 100] },
    ])
    assert.deepEqual(ratio, { median: 1.5, min: 0.5, max: 2 })
    assert.deepEqual(perSecond, { median: 200, min: 100, max: 300 })
    // What was answered and never told of is an error too.
    assert.equal(errors, 4)
  })

  it('is told without pgbench', () => {
    const result = resultOf('life', 'title', [{ round: roundOf(1, 0), tpcb: [null, null] }])
    assert.equal(result.ratio, null)
    const [head = '', row = ''] = tableOf([result])
    assert.equal(head.length, row.length)
    assert.match(row, /^life +1 +none +none +1 +2 +3 +1 +1.50 +0.50 +0.50 +12.0 +2.0 +100/)
  })
})

describe('a picture', () => {
  const wellFormed = (svg: string) => {
    const open = svg.match(/<[a-z]+/g)?.length ?? 0
    const closed = (svg.match(/\/>/g)?.length ?? 0) + (svg.match(/<\/[a-z]+>/g)?.length ?? 0)
    assert.equal(open, closed)
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/)
  }

  it('shows bars to scale, and how far they spread', () => {
    const svg = barChart({
      title: 'a < b & c',
      unit: 'ms',
      series: ['x', 'y'],
      bars: [
        { label: 'one', parts: [1, 1], range: [1, 4] },
        { label: 'two', parts: [2, 0] },
      ],
    })
    wellFormed(svg)
    assert.match(svg, /a &lt; b &amp; c/)
    assert.equal(svg.match(/width="130"/g)?.length, 2)
    assert.match(svg, /M280 \d+H670/)
  })

  it('shows lines, and nothing at all', () => {
    const points: [number, number][] = [
      [0, 1],
      [10, 2],
    ]
    wellFormed(lineChart({ title: 't', across: 's', lines: [{ name: 'a', unit: 'MB', points }] }))
    wellFormed(lineChart({ title: 't', across: 's', lines: [{ name: 'a', unit: '', points: [] }] }))
    wellFormed(barChart({ title: 't', unit: '', series: ['a'], bars: [] }))
  })
})
