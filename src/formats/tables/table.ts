/** What a reader of a file may cost at most; a file beyond a limit is refused. */
export interface TableLimits {
  bytesMax: number
  /** Of a compressed file: how many bytes its parts may unpack to, all together. */
  unpackedBytesMax: number
  rowsMax: number
  columnsMax: number
  cellLengthMax: number
  /** Of the different texts of an XLSX file, all together: they are kept in memory. */
  textBytesMax?: number
}

/** A row of a file: never one whose cells are all empty. */
export interface TableRow {
  /** As a text editor or a spreadsheet program counts: the first line is 1. */
  line: number
  cells: string[]
  /**
   * The columns in which a spreadsheet has a number that is not whole, or of more digits than it
   * keeps: the text in `cells` is what is left of it.
   */
  inexact?: number[]
}

type Values = Record<string, string | number>

/** Why a file cannot be read: a text with `{name}` placeholders, as refusals have. */
export class TableProblem extends Error {
  override name = 'TableProblem'
  readonly text: string
  readonly values: Values

  constructor(text: string, values: Values = {}) {
    super(text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])))
    this.text = text
    this.values = values
  }
}

/** The name of a column in spreadsheet programs: A of 0, AA of 26. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}

/** The problem of a cell that is too long. */
export function cellTooLong(line: number, column: number, lengthMax: number): TableProblem {
  return new TableProblem(
    'Line {line}, column {column}: the cell has more than {lengthMax} characters',
    { line, column: columnName(column), lengthMax },
  )
}

/** The problem of a row that has too many cells. */
export function rowTooWide(line: number, columnsMax: number): TableProblem {
  return new TableProblem('Line {line} has more than {columnsMax} columns', { line, columnsMax })
}

/** What spreadsheet programs can have. */
export const sheetRowsMax = 1_048_576

/**
 * Tells of each row whether it is more than empty cells. Parsers drop others at once: to hand a row
 * on through generators takes 8 µs, and a file may have a sheet of empty lines, but no more.
 */
export function openRowFilter(): (cells: string[]) => boolean {
  let empty = 0
  return (cells) => {
    if (cells.some((cell) => cell.trim() !== '')) return true
    empty += 1
    if (empty > sheetRowsMax) throw tooManyRows(sheetRowsMax)
    return false
  }
}

function tooManyRows(rowsMax: number): TableProblem {
  return new TableProblem('The file has more than {rowsMax} rows', { rowsMax })
}

/** Passes rows on, and refuses more than there may be. */
export async function* withinRowLimit(
  rows: AsyncIterable<TableRow>,
  { rowsMax }: TableLimits,
): AsyncGenerator<TableRow> {
  let count = 0
  for await (const row of rows) {
    count += 1
    if (count > rowsMax) throw tooManyRows(rowsMax)
    yield row
  }
}
