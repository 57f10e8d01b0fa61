import { type Attributes, openXmlReader, readXmlBoolean } from './read-xml.ts'
import { damaged } from './read-zip.ts'
import type { SharedTexts } from './shared-texts.ts'
import { dateText, isExact, numberText, unescapeText } from './spreadsheet-value.ts'
import {
  cellTooLong,
  columnName,
  openRowFilter,
  rowTooWide,
  sheetRowsMax,
  type TableLimits,
  TableProblem,
  type TableRow,
} from './table.ts'
import type { Workbook } from './workbook.ts'

interface SheetParts extends Pick<Workbook, 'dateStyles' | 'isFrom1904'> {
  sharedTexts: SharedTexts
}

/** Reads the rows of a sheet as its bytes come. */
export async function* readSheet(
  blocks: AsyncIterable<Buffer>,
  parts: SheetParts,
  limits: TableLimits,
): AsyncGenerator<TableRow> {
  const builder = new RowBuilder(parts, limits)
  const reader = openXmlReader({
    open: (tag, attributes) => builder.open(tag, attributes),
    text: (text) => builder.text(text),
    close: (tag) => builder.close(tag),
  })
  for await (const block of blocks) {
    reader.take(block)
    yield* builder.takeRows()
  }
  reader.finish()
  yield* builder.takeRows()
}

/** Builds rows from the tags of a sheet. */
class RowBuilder {
  readonly #parts: SheetParts
  readonly #limits: TableLimits
  readonly #hasContent = openRowFilter()
  #rows: TableRow[] = []
  #line = 0
  #cells: string[] = []
  #inexact: number[] = []
  #column = -1
  #cell: Attributes = {}
  #value = ''
  #hasFormula = false
  #isCaught = false
  #isPhonetic = false

  constructor(parts: SheetParts, limits: TableLimits) {
    this.#parts = parts
    this.#limits = limits
  }

  takeRows(): TableRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(tag: string, attributes: Attributes): void {
    if (tag === 'row') this.#openRow(attributes)
    else if (tag === 'c') this.#openCell(attributes)
    else if (tag === 'f') this.#hasFormula = true
    else if (tag === 'rPh') this.#isPhonetic = true
    this.#isCaught = tag === 'v' || (tag === 't' && !this.#isPhonetic)
  }

  text(text: string): void {
    if (!this.#isCaught) return
    this.#value += text
    if (this.#value.length > this.#limits.cellLengthMax) throw this.#tooLong()
  }

  close(tag: string): void {
    if (tag === 'v' || tag === 't') this.#isCaught = false
    else if (tag === 'rPh') this.#isPhonetic = false
    else if (tag === 'c') this.#cells[this.#column] = this.#cellText()
    else if (tag === 'row') this.#closeRow()
  }

  #openRow({ r }: Attributes): void {
    this.#line = r === undefined ? this.#line + 1 : Number(r)
    this.#cells = []
    this.#inexact = []
    this.#column = -1
    const isRow = Number.isInteger(this.#line) && this.#line >= 1 && this.#line <= sheetRowsMax
    if (!isRow) throw damaged()
  }

  #closeRow(): void {
    const row = { line: this.#line, cells: filled(this.#cells) }
    if (!this.#hasContent(row.cells)) return
    this.#rows.push(this.#inexact.length === 0 ? row : { ...row, inexact: this.#inexact })
  }

  #openCell(attributes: Attributes): void {
    const { r } = attributes
    this.#column = r === undefined ? this.#column + 1 : columnOf(r)
    if (this.#column >= this.#limits.columnsMax)
      throw rowTooWide(this.#line, this.#limits.columnsMax)
    this.#cell = attributes
    this.#value = ''
    this.#hasFormula = false
  }

  #cellText(): string {
    const { t: type = 'n' } = this.#cell
    if (this.#value === '') {
      if (this.#hasFormula && type !== 'str') throw this.#problem(notCalculated)
      return ''
    }
    if (type === 's') return this.#sharedText()
    if (type === 'inlineStr' || type === 'str') return unescapeText(this.#value)
    if (type === 'b') return this.#boolean()
    if (type === 'e') throw this.#problem(holdsError, { value: this.#value })
    return type === 'd' ? this.#value : this.#numberOrDate()
  }

  #boolean(): string {
    const value = readXmlBoolean(this.#value)
    if (value === undefined) throw damaged()
    return value ? 'TRUE' : 'FALSE'
  }

  #sharedText(): string {
    const text = this.#parts.sharedTexts.get(Number(this.#value))
    if (text === undefined) throw damaged()
    if (text === null) throw this.#tooLong()
    return unescapeText(text)
  }

  #numberOrDate(): string {
    const isDate = this.#parts.dateStyles[Number(this.#cell.s ?? 0)] ?? false
    const date = isDate ? dateText(Number(this.#value), this.#parts.isFrom1904) : undefined
    const text = date ?? numberText(this.#value)
    if (date === undefined && !isExact(text)) this.#inexact.push(this.#column)
    if (text === undefined) throw this.#problem(noNumber, { value: this.#value.slice(0, 40) })
    return text
  }

  #tooLong(): TableProblem {
    return cellTooLong(this.#line, this.#column, this.#limits.cellLengthMax)
  }

  #problem(text: string, values: Record<string, string> = {}): TableProblem {
    const column = columnName(this.#column)
    return new TableProblem(text, { line: this.#line, column, ...values })
  }
}

const notCalculated =
  'Line {line}, column {column}: the formula has no result: open the file and save it again'
const holdsError = 'Line {line}, column {column}: the cell holds the error {value}'
const noNumber = 'Line {line}, column {column}: {value} is not a number'

/** The index of a column by the place of a cell: 27 of AB12. */
function columnOf(place: string): number {
  const [letters = ''] = /^[A-Z]{1,3}(?=\d)/.exec(place) ?? []
  if (letters === '') throw damaged()
  return Array.from(letters).reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0) - 1
}

/** Cells that are left out are empty. */
function filled(cells: string[]): string[] {
  return Array.from(cells, (cell) => cell ?? '')
}
