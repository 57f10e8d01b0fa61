import { createWriteStream } from 'node:fs'
import { userInfo } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { accountBeforeSudo } from '#base/config/developer.ts'
import { ConfigProblems } from '#base/config/problems.ts'
import { monotonicMs } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { readTime } from '#base/kit/read-time.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { plural } from '#base/kit/texts.ts'

/** Whether --json was given. */
export function isJson(command: Command): boolean {
  return command.optsWithGlobals().json === true
}

/** Prints a result: `value` with --json, else the lines. */
export function print(command: Command, value: unknown, lines: string[]): void {
  writeOut(`${isJson(command) ? JSON.stringify(value, null, 2) : lines.join('\n')}\n`)
}

/** Writes to standard output what others may have named: see `printable`. */
export function writeOut(text: string): void {
  process.stdout.write(printable(text))
}

/**
 * Writes a file there, or else to standard output: as it is to a program or a file, and what steers
 * a terminal to none.
 */
export async function writeFile(
  blocks: AsyncIterable<Buffer>,
  output: string | undefined,
): Promise<void> {
  if (output !== undefined) return pipeline(blocks, createWriteStream(output))
  const decoder = new TextDecoder()
  for await (const block of blocks)
    if (process.stdout.isTTY)
      writeOut(decoder.decode(block, { stream: true }).replaceAll('\r\n', '\n'))
    else process.stdout.write(block)
}

/** The same to standard error. */
export function writeAside(text: string): void {
  process.stderr.write(printable(text))
}

// The bold, faint and coloured texts of our own, and everything that can steer a terminal.
const steering =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[(?:[012]|22|3[1-69])m|[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/**
 * A text whose control characters are shown as \u001b and do nothing: names, and what merchants'
 * servers answer, would else move the cursor, hide lines or type for whoever looks at them. In the
 * strings of JSON they stand for the same characters.
 */
export function printable(text: string): string {
  return text.replaceAll(steering, (one) =>
    one.length > 1 || one === '\n' || one === '\t'
      ? one
      : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Prints a failure to standard error, as sentences or JSON; an unexpected one with its stack. */
export function printFailure(problem: unknown, asJson: boolean): void {
  const isExpected = problem instanceof Problem || problem instanceof Refusal
  const sentences =
    problem instanceof ConfigProblems ? problem.problems : [(problem as Error).message]
  const code = problem instanceof Refusal ? problem.kind.toUpperCase() : 'FAILED'
  const text = asJson
    ? JSON.stringify({ success: false, code, message: sentences })
    : sentences.map((sentence) => `passerelle: ${sentence}`).join('\n')
  writeAside(`${text}\n`)
  if (!isExpected && !asJson) writeAside(`${(problem as Error).stack}\n`)
}

/** The columns of a table: their headings, and what a row has under each. */
type Columns<Row> = Record<string, (row: Row) => string | number>

/** The lines of a table with headings, each column as wide as its widest cell. */
export function tableOf<Row>(rows: Row[], columns: Columns<Row>): string[] {
  const headings = Object.keys(columns)
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => String(cellOf(row))))
  const all = [headings, ...cells]
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

/** A number and its noun: 1 anchor, 2 anchors. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${plural.en(count, one, many)}`
}

/** Whole francs with spaces between thousands: 5 000 F CFA. */
export function francs(amount: number): string {
  return `${amount.toLocaleString('fr-FR').replaceAll(/\s/g, ' ')} F CFA`
}

/** The operating system's account of who runs the command, for the audit log. */
export function actor(): string {
  return `cli:${accountBeforeSudo() ?? accountName()}`
}

/** In a container or a unit of systemd the account may have a number and no name. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
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

/** Reads an http or https URL. */
export function webAddress(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be an address that begins with https:// or http://.')
  return text
}

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a duration such as 30m, 24h or 7d, in milliseconds. */
function duration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const unitMs = units[unit]
  if (unitMs === undefined)
    throw new InvalidArgumentError('It must be a duration such as 90s, 30m, 24h or 7d.')
  return Number(count) * unitMs
}

/** An option for a duration, whose help shows the default as people write it. */
export function durationOption(flags: string, description: string, usual: string): Option {
  return new Option(flags, description).argParser(duration).default(duration(usual), usual)
}

/** Reads a time such as 2026-01-31 or 2026-01-31T10:00:00Z. */
export function date(text: string): Date {
  const time = readTime(text)
  if (time === undefined)
    throw new InvalidArgumentError('It must be a time such as 2026-01-31 or 2026-01-31T10:00:00Z.')
  return time
}

interface Progress {
  report(done: number, total: number): void
  /** Erases the bar. */
  end(): void
}

/** Shows progress on standard error: as a bar on a terminal, else as a line every few seconds. */
export function startProgress(title: string, asJson: boolean): Progress {
  if (asJson) return { report: () => {}, end: () => {} }
  return process.stderr.isTTY ? terminalBar(title) : progressLines(title)
}

const lineIntervalMs = 3000

function progressLines(title: string): Progress {
  let printedMs = monotonicMs()
  return {
    report: (done, total) => {
      if (monotonicMs() - printedMs < lineIntervalMs) return
      printedMs = monotonicMs()
      process.stderr.write(`${title}: ${percent(done, total)}\n`)
    },
    end: () => {},
  }
}

const barWidth = 30
const eraseLine = '\r\u001b[K'

// Our own, since the libraries for this put the terminal into raw mode and so catch Ctrl-C.
function terminalBar(title: string): Progress {
  const draw = (done: number, total: number) => {
    const filled = Math.floor((barWidth * done) / Math.max(total, 1))
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
    process.stderr.write(`${eraseLine}${title} ${bar} ${percent(done, total)}`)
  }
  draw(0, 1)
  return { report: draw, end: () => void process.stderr.write(eraseLine) }
}

function percent(done: number, total: number): string {
  return `${Math.floor((100 * done) / Math.max(total, 1))} %`
}
