import type { Round } from './round.ts'
import { median, round, type Spread, sum, summarizeSpread } from './statistics.ts'

/** A round, and the rate of TPC-B just before and just after it; null without pgbench. */
export interface Measured {
  round: Round
  tpcb: [before: number | null, after: number | null]
}

/** All rounds of a scenario, and their medians. */
export interface Result {
  scenario: string
  title: string
  perSecond: Spread
  /** Each round's rate divided by the mean rate of the two TPC-B runs around it. */
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

/** Summarizes a scenario's rounds. */
export function summarizeRounds(scenario: string, title: string, rounds: Measured[]): Result {
  const all = rounds.map(({ round }) => round)
  const ratios = rounds.flatMap(({ round: { perSecond }, tpcb: [before, after] }) =>
    before === null || after === null ? [] : [(2 * perSecond) / (before + after)],
  )
  const tpcb = rounds.flatMap(({ tpcb }) => tpcb.filter((one) => one !== null))
  const medianOf = (of: (one: Round) => number) => round(median(all.map(of)), 3)
  const medianOrNull = (of: (one: Round) => number | null) => {
    const values = all.map(of).filter((value) => value !== null)
    return values.length === 0 ? null : round(median(values), 3)
  }
  const names = Object.keys(all[0]?.cpuMsEach ?? {})
  return {
    scenario,
    title,
    perSecond: summarizeSpread(
      all.map(({ perSecond }) => perSecond),
      0,
    ),
    ratio: ratios.length === 0 ? null : summarizeSpread(ratios),
    tpcbPerSecond: tpcb.length === 0 ? null : summarizeSpread(tpcb, 0),
    latency: {
      p50: medianOf(({ latency }) => latency.p50),
      p95: medianOf(({ latency }) => latency.p95),
      p99: medianOf(({ latency }) => latency.p99),
    },
    errors: sum(all.map(({ errors, answered, done }) => errors + Math.max(0, answered - done))),
    cpuMsEach: Object.fromEntries(
      names.map((name) => [name, medianOf(({ cpuMsEach }) => cpuMsEach[name] ?? 0)]),
    ),
    commitsEach: medianOrNull(({ commitsEach }) => commitsEach),
    rowsEach: medianOrNull(({ rowsEach }) => rowsEach),
    walBytesEach: medianOf(({ walBytesEach }) => walBytesEach),
    rssMb: medianOf(({ held }) => held.rssMb),
    rounds,
  }
}

/** The results as the lines of a Markdown table, aligned for reading as text too. */
export function formatTable(results: Result[]): string[] {
  const processNames = [...new Set(results.flatMap(({ cpuMsEach }) => Object.keys(cpuMsEach)))]
  const headings = ['scenario', '/s', 'TPC-B', 'ratio', 'p50', 'p95', 'p99 ms', 'errors']
  const rows = results.map((one) => [
    one.scenario,
    formatSpread(one.perSecond),
    one.tpcbPerSecond === null ? 'none' : String(one.tpcbPerSecond.median),
    one.ratio === null ? 'none' : formatSpread(one.ratio),
    ...[one.latency.p50, one.latency.p95, one.latency.p99, one.errors].map(String),
    ...processNames.map((name) => (one.cpuMsEach[name] ?? 0).toFixed(2)),
    one.commitsEach === null ? '?' : one.commitsEach.toFixed(2),
    one.rowsEach === null ? '?' : one.rowsEach.toFixed(1),
    (one.walBytesEach / 1024).toFixed(1),
    one.rssMb.toFixed(0),
    formatGroupSizes(one),
  ])
  const cpu = processNames.map((name) => `${name} ms`)
  return align([
    [...headings, ...cpu, 'commits', 'rows', 'WAL KB', 'RSS MB', 'in a group'],
    ...rows,
  ])
}

function formatSpread({ median, min, max }: Spread): string {
  return min === max ? String(median) : `${median} (${min}–${max})`
}

const groupStatements: [name: string, statement: RegExp][] = [
  ['intents', /insert transactions/],
  ['outcomes', /insert evidence/],
  ['webhooks', /insert delivery_attempts/],
]

/** The mean number of payments that share a statement, for the statements that write payments. */
function formatGroupSizes({ rounds }: Result): string {
  const statements = rounds.flatMap(({ round }) => round.statements)
  const sizes = groupStatements.flatMap(([name, pattern]) => {
    const found = statements.filter((one) => pattern.test(one.name))
    const calls = sum(found.map((one) => one.calls))
    const rows = sum(found.map((one) => one.calls * one.rowsPerCall))
    return calls === 0 ? [] : [`${name} ${round(rows / calls, 1)}`]
  })
  return sizes.join(', ')
}

function align([headings = [], ...rows]: string[][]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const isText = (column: number) => column === 0 || column === headings.length - 1
  const pad = (cell: string, column: number) =>
    isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  const rules = widths.map((width, column) =>
    isText(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [headings, rules, ...rows].map((row) => `| ${row.map(pad).join(' | ')} |`)
}
