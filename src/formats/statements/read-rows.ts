import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import type { TableRow } from '#formats/tables/table.ts'
import type { Currency } from '#merchants/catalog/countries.ts'
import { BalanceReader } from './balance-reader.ts'
import { builtIn } from './built-in.ts'
import { countTitles, findHeader, type Header, letterHeader } from './header.ts'
import type { Mapping } from './mapping.ts'
import { type LineParts, readLine } from './read-line.ts'
import { dayTest, momentReader } from './read-moment.ts'
import { sentences } from './sentences.ts'
import { skipTest } from './skip.ts'
import type { StatementItem } from './statement.ts'
import { vocabularyOf } from './vocabulary.ts'

export interface RowOptions {
  currency?: Currency | undefined
  timeZone?: string | undefined
  /** Whether dates may be those of a spreadsheet, which its cells know to be dates. */
  isSpreadsheet: boolean
  /** Told when the titles were found. */
  onHeader?: (header: Header, mapping: Mapping) => void
}

// A title, a period, a name of an account and notes may stand above the titles.
const rowsBeforeTitlesMax = 30

/** Reads the rows of a statement in the words of a mapping, or of a built-in one. */
export class RowReader {
  readonly #candidates: readonly Mapping[]
  readonly #options: RowOptions
  readonly #isGiven: boolean
  #parts: LineParts | undefined
  #balances: BalanceReader | undefined
  #isSkipped: ((row: TableRow) => boolean) | undefined
  #rowsBefore: TableRow[] = []
  /** What is wrong with the row that has most of the titles. */
  #nearest: { titles: number; problems: Reason[] } = { titles: 0, problems: [] }
  #lastLine = 0
  #hasFailed = false

  constructor(mapping: Mapping | undefined, options: RowOptions) {
    this.#candidates = mapping === undefined ? builtIn : [mapping]
    this.#isGiven = mapping !== undefined
    this.#options = options
    if (mapping?.titles === false) this.#begin(letterHeader(mapping), mapping)
  }

  /** Whether no further row can be understood. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** What a row is. */
  take(row: TableRow): StatementItem[] {
    const before = this.#lastLine
    this.#lastLine = row.line
    // A workbook says itself which line a row is; two of the same number would be one line.
    if (row.line <= before)
      return this.#fail(row.line, [reason(sentences.outOfOrder, { line: row.line, before })])
    return this.#parts === undefined ? this.#findTitles(row) : this.#read(row, this.#parts)
  }

  finish(): StatementItem[] {
    if (this.#hasFailed) return []
    if (this.#parts === undefined) return this.#noTitles()
    return this.#balances?.finish() ?? []
  }

  #findTitles(row: TableRow): StatementItem[] {
    for (const mapping of this.#candidates) {
      const header = findHeader(row, mapping)
      if (!Array.isArray(header)) return this.#begin(header, mapping)
      const titles = countTitles(row, mapping)
      if (titles > this.#nearest.titles) this.#nearest = { titles, problems: header }
    }
    this.#rowsBefore.push(row)
    return this.#rowsBefore.length > rowsBeforeTitlesMax ? this.#noTitles() : []
  }

  #noTitles(): StatementItem[] {
    const line = this.#rowsBefore[0]?.line ?? 1
    if (!this.#isGiven) return this.#fail(line, [reason(sentences.noMapping)])
    const { titles, problems } = this.#nearest
    const title = this.#candidates[0]?.columns.at ?? ''
    const values = { rows: this.#rowsBefore.length, title }
    return this.#fail(line, titles > 0 ? problems : [reason(sentences.noTitles, values)])
  }

  #begin(header: Header, mapping: Mapping): StatementItem[] {
    const { currency, timeZone = 'UTC', isSpreadsheet, onHeader } = this.#options
    const formats = [...(mapping.dates ?? ['iso']), ...(isSpreadsheet ? cellFormats : [])]
    const readMoment = momentReader(formats, mapping.timeZone ?? timeZone)
    const dates = { readMoment, isDay: dayTest(formats) }
    this.#parts = { mapping, header, vocabulary: vocabularyOf(mapping), ...dates, currency }
    this.#balances = new BalanceReader(this.#parts)
    this.#isSkipped = skipTest(mapping, header)
    onHeader?.(header, mapping)
    const before = this.#rowsBefore
    this.#rowsBefore = []
    return before.flatMap((row) => this.#balances?.take(row) ?? [])
  }

  #read(row: TableRow, parts: LineParts): StatementItem[] {
    const { line } = row
    if (parts.header.isAgain(row))
      return [{ kind: 'skipped', line, reason: reason(sentences.skippedTitles, { line }) }]
    const balance = this.#balances?.take(row)
    if (balance !== undefined) return balance
    if (this.#isSkipped?.(row)) {
      const text = oneLine(row.cells.join(' '), 120)
      return [{ kind: 'skipped', line, reason: reason(sentences.skippedRule, { line, text }) }]
    }
    const read = readLine(row, parts)
    if (Array.isArray(read)) return read.map((one) => ({ kind: 'problem', line, reason: one }))
    this.#balances?.follow(read)
    return [{ kind: 'line', line: read }]
  }

  #fail(line: number, problems: Reason[]): StatementItem[] {
    this.#hasFailed = true
    return problems.map((one) => ({ kind: 'problem', line, reason: one }))
  }
}

// As the reader of workbooks writes cells that are dates.
const cellFormats = ['yyyy-MM-dd HH:mm:ss', 'yyyy-MM-dd']
