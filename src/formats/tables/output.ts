import { setImmediate } from 'node:timers/promises'
import { monotonicMs } from '#base/kit/clock.ts'

/** A cell to write: francs and counts are numbers; a `Date` is shown in the table's time zone. */
export type Value = string | number | Date | null

/** A column to write; `money` and `whole` are right-aligned, `money` with groups of digits. */
export interface OutputColumn {
  title: string
  kind: 'text' | 'money' | 'whole' | 'moment'
  /** How many characters are usually shown. */
  width: number
}

/** The cells of a row; those of a total are shown bold, where a file can. */
export type Row = Value[] | { total: Value[] }

export function readRow(row: Row): { cells: Value[]; isTotal: boolean } {
  return Array.isArray(row) ? { cells: row, isTotal: false } : { cells: row.total, isTotal: true }
}

/** A table to write; its rows are read once, as they are written. */
export interface OutputTable {
  title: string
  columns: OutputColumn[]
  rows: AsyncIterable<Row> | Iterable<Row>
  /** Of moments; UTC unless it is given. */
  timeZone?: string
}

/** A value as text that programs read: whole numbers without groups, moments as ISO 8601. */
export function plainText(value: Value, timeZone?: string): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (value instanceof Date) return wallTime(value, timeZone)
  return String(checkWhole(value))
}

/** Refuses a fraction: amounts are whole francs. */
export function checkWhole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number`)
  return value
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** A moment as a clock on the wall shows it: 2026-11-16 10:30:00. */
export function wallTime(moment: Date, timeZone = 'UTC'): string {
  const shown = new Date(moment.getTime() + offsetMs(moment, timeZone))
  return shown.toISOString().slice(0, 19).replace('T', ' ')
}

// Clocks are changed at whole quarters of an hour. Most rows are of the same one as the row before.
const quarterMs = 900_000
const lastOffsets = new Map<string, { quarter: number; ms: number }>()

/** How far the clocks of a zone are ahead of UTC; asking for it costs ten times as much. */
function offsetMs(moment: Date, timeZone: string): number {
  const quarter = Math.floor(moment.getTime() / quarterMs)
  const last = lastOffsets.get(timeZone)
  if (last?.quarter === quarter) return last.ms
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(timeZone, format)
  const start = new Date(quarter * quarterMs)
  const ms = Date.parse(`${format.format(start).replace(' ', 'T')}Z`) - start.getTime()
  lastOffsets.set(timeZone, { quarter, ms })
  return ms
}

const workMsMax = 5
let lastPause: Promise<unknown> = Promise.resolve()

/**
 * Returns a function that lets everything else of this thread go on when the work since the last
 * time took some milliseconds; undefined: it did not. Rows that are in memory come without a pause.
 * However many files are written, one of them works in a turn of the event loop.
 */
export function openPauses(): () => Promise<void> | undefined {
  let sinceMs = monotonicMs()
  return () => {
    if (monotonicMs() - sinceMs < workMsMax) return undefined
    const pause = lastPause.then(() => setImmediate())
    lastPause = pause
    return pause.then(() => void (sinceMs = monotonicMs()))
  }
}

const blockLength = 65_536

/** Joins many short texts into blocks, which cost less to send. */
export async function* inBlocks(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let block = ''
  for await (const text of texts) {
    block += text
    if (block.length < blockLength) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block !== '') yield Buffer.from(block)
}
