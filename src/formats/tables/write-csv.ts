import { inBlocks, type OutputTable, openPauses, plainText, readRow, type Value } from './output.ts'

// Spreadsheet programs take a cell that begins like this for a formula, and would carry it out.
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/
const mustBeQuoted = /[;"\r\n]/

/**
 * Writes a table as CSV: UTF-8 with a mark, semicolons and CRLF, as spreadsheet programs set to
 * French open it by a double click. A text that looks like a formula gets an apostrophe in front.
 */
export function writeCsv(table: OutputTable): AsyncGenerator<Buffer> {
  return inBlocks(lines(table))
}

async function* lines({ columns, rows, timeZone }: OutputTable): AsyncGenerator<string> {
  yield `\ufeff${columns.map(({ title }) => cellOf(title)).join(';')}\r\n`
  const pause = openPauses()
  for await (const row of rows) {
    await pause()
    const { cells } = readRow(row)
    yield `${columns.map((_, index) => cellOf(cells[index] ?? null, timeZone)).join(';')}\r\n`
  }
}

function cellOf(value: Value, timeZone?: string): string {
  const text = plainText(value, timeZone)
  const guarded = typeof value === 'string' && formula.test(text) ? `'${text}` : text
  return mustBeQuoted.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
