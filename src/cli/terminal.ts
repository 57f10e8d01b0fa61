import { userInfo } from 'node:os'
import { progress } from '@clack/prompts'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { monotonicMs } from '../kit/clock.ts'
import { ConfigProblems } from '../kit/config.ts'
import { Problem } from '../kit/problem.ts'
import { Refusal } from '../kit/refusal.ts'

/** Whether the whole command line asked for JSON. */
export function isJson(command: Command): boolean {
  return command.optsWithGlobals().json === true
}

/** Prints a result: as JSON for programs, as lines for people. */
export function print(command: Command, value: unknown, lines: string[]): void {
  process.stdout.write(`${isJson(command) ? JSON.stringify(value, null, 2) : lines.join('\n')}\n`)
}

/**
 * Tells a failure in plain words (or JSON) on standard error; anything unexpected keeps its trace.
 */
export function explain(problem: unknown, asJson: boolean): void {
  const isExpected = problem instanceof Problem || problem instanceof Refusal
  const sentences =
    problem instanceof ConfigProblems ? problem.problems : [(problem as Error).message]
  const code = problem instanceof Refusal ? problem.kind.toUpperCase() : 'FAILED'
  const text = asJson
    ? JSON.stringify({ success: false, code, message: sentences })
    : sentences.map((sentence) => `passerelle: ${sentence}`).join('\n')
  process.stderr.write(`${text}\n`)
  if (!isExpected && !asJson) process.stderr.write(`${(problem as Error).stack}\n`)
}

/** Rows under headings, each column as wide as its widest cell. */
export function table(headings: string[], rows: (string | number)[][]): string[] {
  const all = [headings, ...rows.map((row) => row.map(String))]
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  )
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Whole francs as people write them here. */
export function francs(amount: number): string {
  return `${amount.toLocaleString('fr-FR').replaceAll(/\s/g, ' ')} F CFA`
}

/** Who is at the terminal, for the audit log. */
export function actor(): string {
  return `cli:${userInfo().username}`
}

/** Reads a whole number option of at least `min`. */
export function whole(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d{1,15}$/.test(text) || value < min)
      throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`)
    return value
  }
}

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a duration such as 30m, 24h or 7d, in milliseconds. */
export function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const unitMs = units[unit]
  if (unitMs === undefined)
    throw new InvalidArgumentError('It must be a duration such as 90s, 30m, 24h or 7d.')
  return Number(count) * unitMs
}

interface Progress {
  report(done: number, total: number): void
  end(message: string): void
}

const lineEveryMs = 3000

/** A bar on a terminal; elsewhere a line on standard error every few seconds. */
export function startProgress(title: string, asJson: boolean): Progress {
  if (asJson) return { report: () => {}, end: () => {} }
  if (process.stderr.isTTY) return terminalBar(title)
  let saidMs = monotonicMs()
  return {
    report: (done, total) => {
      if (monotonicMs() - saidMs < lineEveryMs) return
      saidMs = monotonicMs()
      process.stderr.write(`${title}: ${percent(done, total)}\n`)
    },
    end: () => {},
  }
}

function terminalBar(title: string): Progress {
  const bar = progress({ max: 1000, output: process.stderr })
  bar.start(title)
  let shown = 0
  return {
    report: (done, total) => {
      const now = Math.floor((1000 * done) / Math.max(total, 1))
      bar.advance(now - shown, `${title} ${percent(done, total)}`)
      shown = now
    },
    end: (message) => bar.stop(message),
  }
}

function percent(done: number, total: number): string {
  return `${Math.floor((100 * done) / Math.max(total, 1))} %`
}
