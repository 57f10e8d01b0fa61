import { CsvParser } from './csv-parser.ts'
import type { TableLimits, TableRow } from './table.ts'

/** Reads the rows of a CSV text, which comes in pieces of any size. */
export async function* readCsv(
  texts: AsyncIterable<string>,
  limits: TableLimits,
  separator?: string,
): AsyncGenerator<TableRow> {
  let head = ''
  let parser: CsvParser | undefined
  for await (const text of texts) {
    if (parser !== undefined) yield* parser.take(text)
    else {
      head += text
      // The first line that has separators decides between them.
      if (!hasWholeLine(head) && head.length < headMax) continue
      parser = parserFor(head, limits, separator)
      yield* parser.take(withoutMarks(head))
    }
  }
  if (parser === undefined) {
    parser = parserFor(head, limits, separator)
    yield* parser.take(withoutMarks(head))
  }
  yield* parser.finish()
}

const headMax = 65_536

function parserFor(head: string, limits: TableLimits, separator = separatorOf(head)): CsvParser {
  const isNamed = separatorLine.test(head)
  return new CsvParser(separator, limits, isNamed ? 2 : 1)
}

/** Whether the head has a whole line with separators. */
function hasWholeLine(head: string): boolean {
  const lines = withoutQuoted(head).split(/[\r\n]/)
  // One character more, so that a line break of two is not cut.
  const isCut = lines.at(-1) === ''
  return lines.slice(0, isCut ? -2 : -1).some(hasSeparator)
}

function withoutQuoted(text: string): string {
  return text.replaceAll(/"[^"]*("|$)/g, '')
}

const separators = [';', ',', '\t', '|']
// Spreadsheet programs may name the separator in a first line of its own.
const separatorLine = /^\ufeff?sep=(.)(\r\n|\r|\n)/i

/** The separator that the first line with any has most of: a title may stand above it. */
function separatorOf(head: string): string {
  const [, named] = separatorLine.exec(head) ?? []
  if (named !== undefined) return named
  const lines = withoutQuoted(head).split(/[\r\n]/)
  const line = lines.find(hasSeparator) ?? ''
  const counts = separators.map((one) => line.split(one).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ';'
}

function hasSeparator(line: string): boolean {
  return separators.some((mark) => line.includes(mark))
}

function withoutMarks(head: string): string {
  return head.replace(separatorLine, '').replace(/^\ufeff/, '')
}
