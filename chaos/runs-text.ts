import { readFileSync } from 'node:fs'
import type { Experiment } from './experiment.ts'
import { experiments } from './experiments/all.ts'

/** A run at full size that was kept: `runs.json` has the newest of each experiment. */
interface Run {
  experiment: string
  date: string
  /** The commit that ran; left out: it was not noted. */
  commit?: string
  /** What else was changed in it, and committed afterwards. */
  uncommitted?: string
  command?: string
  /** What else the machine did. */
  beside?: string
  /** Requests that were acknowledged. */
  acknowledged?: number
  figures: string[]
  /** Whether the judge found every invariant kept. */
  held: boolean
  /** Of a failover: what was done, how often, and how long no payment was acknowledged. */
  event?: string
  what?: string
  times?: number
  medianS?: number
  worstS?: number
}

const runs: Run[] = JSON.parse(readFileSync(new URL('runs.json', import.meta.url), 'utf8'))

/** docs/reliability.md with the table of its experiments made anew. */
export function withRuns(page: string): string {
  const head = ['| Experiment | Proves that | Run | Acknowledged | Seen |', '|---|---|---|--:|---|']
  return withRows(page, head, experiments.flatMap(rowsOf))
}

/** docs/availability.md with the table of failovers made anew. */
export function withFailovers(page: string): string {
  const head = [
    '| Event | What | Times | Median | Worst | Acknowledged |',
    '|---|---|--:|--:|--:|--:|',
  ]
  const rows = runs
    .filter(({ experiment }) => experiment === 'failover')
    .map(({ event, what = '', times, medianS, worstS, acknowledged }) =>
      row(`\`${event}\``, what, `${times}`, `${medianS} s`, `${worstS} s`, count(acknowledged)),
    )
  return withRows(page, head, rows)
}

function rowsOf({ name, proves }: Experiment): string[] {
  const own = runs.filter(({ experiment }) => experiment === name)
  if (name === 'failover')
    return [row('`failover`', proves, '', '', '[by event](availability.md#what-was-tried)')]
  if (own.length === 0) return [row(`\`${name}\``, proves, 'none kept', '', '')]
  return own.map((run, at) => row(`\`${name}\``, at === 0 ? proves : '', ...cellsOf(run)))
}

function cellsOf({ date, commit, uncommitted, beside, acknowledged, figures, held }: Run) {
  const run = `${date}, ${commit}${uncommitted === undefined ? '' : ' +'}`
  const seen = [held ? '' : 'BROKEN', beside === undefined ? '' : `(${beside})`, figures.join('; ')]
  return [run, count(acknowledged), seen.filter((part) => part !== '').join(' ')]
}

function withRows(page: string, head: string[], rows: string[]): string {
  const start = `${head.join('\n')}\n`
  const at = page.indexOf(start)
  if (at < 0) throw new Error(`there is no table ${head[0]}`)
  const rest = page.slice(at + start.length).replace(/^(\|.*\n)*/, '')
  return `${page.slice(0, at)}${start}${rows.join('')}${rest}`
}

function row(...cells: string[]): string {
  return `| ${cells.join(' | ')} |\n`.replaceAll('  ', ' ')
}

function count(number: number | undefined): string {
  return number?.toLocaleString('en') ?? ''
}
