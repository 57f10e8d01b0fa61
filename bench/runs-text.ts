import { readFileSync } from 'node:fs'

/** A scenario's newest run that was kept, in the figures of `report.ts`. */
interface Run {
  scenario: string
  /** One unit of it. */
  unit: string
  date: string
  perSecond: number
  ratio: { median: number; min: number; max: number }
  latencyMs: { p50: number; p95: number; p99: number }
  cpuMsEach: { gateway: number; postgres: number }
}

const runs: Run[] = JSON.parse(readFileSync(new URL('runs.json', import.meta.url), 'utf8'))

const titles = ['Scenario', 'One unit', 'Date', 'a second', 'ratio to TPC-B']
const times = ['p50, p95, p99 (ms)', 'gateway, PostgreSQL (CPU ms)']
const head = `| ${[...titles, ...times].join(' | ')} |\n|---|---|---|--:|---|---|---|\n`

/** docs/performance.md with the table of its results made anew. */
export function withRuns(page: string): string {
  const at = page.indexOf(head)
  if (at < 0) throw new Error('there is no table of results')
  const rest = page.slice(at + head.length).replace(/^(\|.*\n)*/, '')
  return `${page.slice(0, at)}${head}${runs.map(rowOf).join('')}${rest}`
}

function rowOf({ scenario, unit, date, perSecond, ratio, latencyMs, cpuMsEach }: Run): string {
  const range = `${fixed(ratio.median)} (${fixed(ratio.min)}–${fixed(ratio.max)})`
  const latency = [latencyMs.p50, latencyMs.p95, latencyMs.p99].map(count).join(', ')
  const cost = `${fixed(cpuMsEach.gateway)}, ${fixed(cpuMsEach.postgres)}`
  const cells = [`\`${scenario}\``, unit, date, count(perSecond), range, latency, cost]
  return `| ${cells.join(' | ')} |\n`
}

function fixed(number: number): string {
  return number.toFixed(2)
}

function count(number: number): string {
  return number.toLocaleString('en')
}
