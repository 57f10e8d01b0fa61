import {
  cellTooLong,
  columnName,
  openRowFilter,
  rowTooWide,
  type TableLimits,
  TableProblem,
  type TableRow,
} from './table.ts'

const quote = 34
const carriageReturn = 13
const lineFeed = 10

/** Takes the text of a CSV file piece by piece and returns the rows that are complete. */
export class CsvParser {
  readonly #separator: number
  readonly #limits: TableLimits
  readonly #hasContent = openRowFilter()
  #place: 'start' | 'plain' | 'quoted' | 'after_quote' = 'start'
  #cells: string[] = []
  #cell = ''
  #rows: TableRow[] = []
  #line: number
  /** Where the row begins: a quoted cell may have several lines. */
  #rowLine: number
  #quoteLine = 1
  #isAfterReturn = false

  constructor(separator: string, limits: TableLimits, firstLine: number) {
    this.#separator = separator.charCodeAt(0)
    this.#limits = limits
    this.#line = firstLine
    this.#rowLine = firstLine
  }

  take(text: string): TableRow[] {
    this.#rows = []
    for (let at = 0; at < text.length; ) {
      const isSecondOfTwo = this.#isAfterReturn && text.charCodeAt(at) === lineFeed
      this.#isAfterReturn = false
      at = isSecondOfTwo ? at + 1 : this.#takeAt(text, at)
    }
    return this.#rows
  }

  /** The last row, when no line break ends it. */
  finish(): TableRow[] {
    this.#rows = []
    if (this.#place === 'quoted')
      throw new TableProblem('Line {line}: a quote is opened and never closed', {
        line: this.#quoteLine,
      })
    if (this.#cells.length > 0 || this.#place !== 'start') this.#endRow()
    return this.#rows
  }

  /** Takes a character, or a run of them that belong to one cell; returns where to go on. */
  #takeAt(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (this.#place === 'quoted') return this.#takeQuoted(text, at, code)
    if (code === this.#separator) this.#endCell()
    else if (code === carriageReturn || code === lineFeed) {
      this.#endRow()
      this.#isAfterReturn = code === carriageReturn
      this.#line += 1
      this.#rowLine = this.#line
    } else if (code === quote && this.#place === 'start') {
      this.#place = 'quoted'
      this.#quoteLine = this.#line
    } else if (this.#place === 'after_quote') this.#continueQuoted(code)
    else return this.#takePlain(text, at)
    return at + 1
  }

  #takeQuoted(text: string, at: number, code: number): number {
    if (code === quote) {
      this.#place = 'after_quote'
      return at + 1
    }
    const end = text.indexOf('"', at)
    const part = text.slice(at, end === -1 ? text.length : end)
    this.#append(part)
    this.#line += part.split('\n').length - 1
    return at + part.length
  }

  /** Two quotes within quotes are one. */
  #continueQuoted(code: number): void {
    if (code !== quote)
      throw new TableProblem('Line {line}, column {column}: there is text after a closing quote', {
        line: this.#line,
        column: columnName(this.#cells.length),
      })
    this.#append('"')
    this.#place = 'quoted'
  }

  #takePlain(text: string, at: number): number {
    this.#place = 'plain'
    let end = at + 1
    while (end < text.length && !this.#endsCell(text.charCodeAt(end))) end += 1
    this.#append(text.slice(at, end))
    return end
  }

  #endsCell(code: number): boolean {
    return code === this.#separator || code === carriageReturn || code === lineFeed
  }

  #append(text: string): void {
    if (text.includes('\0'))
      throw new TableProblem('Line {line}: this is not a text file', { line: this.#line })
    this.#cell += text
    const { cellLengthMax } = this.#limits
    if (this.#cell.length > cellLengthMax)
      throw cellTooLong(this.#rowLine, this.#cells.length, cellLengthMax)
  }

  #endCell(): void {
    const { columnsMax } = this.#limits
    if (this.#cells.length === columnsMax) throw rowTooWide(this.#rowLine, columnsMax)
    this.#cells.push(withoutGuard(this.#cell))
    this.#cell = ''
    this.#place = 'start'
  }

  #endRow(): void {
    this.#endCell()
    if (this.#hasContent(this.#cells)) this.#rows.push({ line: this.#rowLine, cells: this.#cells })
    this.#cells = []
  }
}

/** Takes off the apostrophe that `write-csv.ts` puts before what looks like a formula. */
function withoutGuard(cell: string): string {
  return /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}
