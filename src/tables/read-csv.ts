import { CsvParser } from './csv-parser.ts'
import type { TableLimits, TableRow } from './table.ts'

/** Reads the rows of a CSV text, which comes in pieces of any size. */
export async function* readCsv(
  texts: AsyncIterable<string>,
  limits: TableLimits,
): AsyncGenerator<TableRow> {
  let head = ''
  let parser: CsvParser | undefined
  for await (const text of texts) {
    if (parser !== undefined) yield* parser.take(text)
    else {
      head += text
      // The first line decides on the separator.
      if (!hasWholeLine(head) && head.length < headMax) continue
      parser = parserFor(head, limits)
      yield* parser.take(withoutMarks(head))
    }
  }
  if (parser === undefined) {
    parser = parserFor(head, limits)
    yield* parser.take(withoutMarks(head))
  }
  yield* parser.finish()
}

const headMax = 65_536

function parserFor(head: string, limits: TableLimits): CsvParser {
  const isNamed = separatorLine.test(head)
  return new CsvParser(separatorOf(head), limits, isNamed ? 2 : 1)
}

function hasWholeLine(head: string): boolean {
  // One character more, so that a line break of two is not cut.
  return /[\r\n][^]/.test(withoutQuoted(head))
}

function withoutQuoted(text: string): string {
  return text.replaceAll(/"[^"]*("|$)/g, '')
}

const separators = [';', ',', '\t']
// Spreadsheet programs may name the separator in a first line of its own.
const separatorLine = /^\ufeff?sep=(.)(\r\n|\r|\n)/i

/** The separator that the first line has most of. */
function separatorOf(head: string): string {
  const [, named] = separatorLine.exec(head) ?? []
  if (named !== undefined) return named
  const [line = ''] = withoutQuoted(head).split(/[\r\n]/)
  const counts = separators.map((one) => line.split(one).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ';'
}

function withoutMarks(head: string): string {
  return head.replace(separatorLine, '').replace(/^\ufeff/, '')
}
