import type { Spread } from './figures.ts'
import { median, round, spreadOf, sum } from './figures.ts'
import type { Round } from './round.ts'

/** A round, and what TPC-B did just before and just after it; null: pgbench is not installed. */
export interface Measured {
  round: Round
  tpcb: [before: number | null, after: number | null]
}

/** All rounds of a scenario, and the middle of them. */
export interface Result {
  scenario: string
  title: string
  perSecond: Spread
  /** To TPC-B, round by round. */
  ratio: Spread | null
  tpcbPerSecond: Spread | null
  latency: { p50: number; p95: number; p99: number }
  errors: number
  cpuMsEach: Record<string, number>
  commitsEach: number | null
  rowsEach: number | null
  walBytesEach: number
  rssMb: number
  rounds: Measured[]
}

/** Sums a scenario's rounds up. */
export function resultOf(scenario: string, title: string, rounds: Measured[]): Result {
  const all = rounds.map(({ round }) => round)
  const ratios = rounds.flatMap(({ round: { perSecond }, tpcb: [before, after] }) =>
    before === null || after === null ? [] : [(2 * perSecond) / (before + after)],
  )
  const tpcb = rounds.flatMap(({ tpcb }) => tpcb.filter((one) => one !== null))
  const middle = (of: (one: Round) => number) => round(median(all.map(of)), 3)
  const middleOrNull = (of: (one: Round) => number | null) => {
    const values = all.map(of).filter((value) => value !== null)
    return values.length === 0 ? null : round(median(values), 3)
  }
  const names = Object.keys(all[0]?.cpuMsEach ?? {})
  return {
    scenario,
    title,
    perSecond: spreadOf(
      all.map(({ perSecond }) => perSecond),
      0,
    ),
    ratio: ratios.length === 0 ? null : spreadOf(ratios),
    tpcbPerSecond: tpcb.length === 0 ? null : spreadOf(tpcb, 0),
    latency: {
      p50: middle(({ latency }) => latency.p50),
      p95: middle(({ latency }) => latency.p95),
      p99: middle(({ latency }) => latency.p99),
    },
    errors: sum(all.map(({ errors, answered, done }) => errors + Math.max(0, answered - done))),
    cpuMsEach: Object.fromEntries(
      names.map((name) => [name, middle(({ cpuMsEach }) => cpuMsEach[name] ?? 0)]),
    ),
    commitsEach: middleOrNull(({ commitsEach }) => commitsEach),
    rowsEach: middleOrNull(({ rowsEach }) => rowsEach),
    walBytesEach: middle(({ walBytesEach }) => walBytesEach),
    rssMb: middle(({ held }) => held.rssMb),
    rounds,
  }
}

/** The results as lines for people. */
export function tableOf(results: Result[]): string[] {
  const kinds = [...new Set(results.flatMap(({ cpuMsEach }) => Object.keys(cpuMsEach)))]
  const headings = ['scenario', '/s', 'TPC-B', 'ratio', 'p50', 'p95', 'p99 ms', 'errors']
  const rows = results.map((one) => [
    one.scenario,
    spreadText(one.perSecond),
    one.tpcbPerSecond === null ? 'none' : String(one.tpcbPerSecond.median),
    one.ratio === null ? 'none' : spreadText(one.ratio),
    ...[one.latency.p50, one.latency.p95, one.latency.p99, one.errors].map(String),
    ...kinds.map((kind) => (one.cpuMsEach[kind] ?? 0).toFixed(2)),
    one.commitsEach === null ? '?' : one.commitsEach.toFixed(2),
    one.rowsEach === null ? '?' : one.rowsEach.toFixed(1),
    (one.walBytesEach / 1024).toFixed(1),
    one.rssMb.toFixed(0),
    groupsText(one),
  ])
  const cpu = kinds.map((kind) => `${kind} ms`)
  return align([
    [...headings, ...cpu, 'commits', 'rows', 'WAL KB', 'RSS MB', 'in a group'],
    ...rows,
  ])
}

function spreadText({ median: middle, min, max }: Spread): string {
  return min === max ? String(middle) : `${middle} (${min}–${max})`
}

const writers: [name: string, statement: RegExp][] = [
  ['intents', /insert transactions/],
  ['outcomes', /insert evidence/],
  ['webhooks', /insert delivery_attempts/],
]

/** How many payments share one statement, for the statements that write them. */
function groupsText({ rounds }: Result): string {
  const statements = rounds.flatMap(({ round }) => round.statements)
  const sizes = writers.flatMap(([name, pattern]) => {
    const found = statements.filter((one) => pattern.test(one.name))
    const calls = sum(found.map((one) => one.calls))
    const rows = sum(found.map((one) => one.calls * one.rowsPerCall))
    return calls === 0 ? [] : [`${name} ${round(rows / calls, 1)}`]
  })
  return sizes.join(', ')
}

function align(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
}
