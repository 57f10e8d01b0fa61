import { runApart } from './apart.ts'
import { decodeText } from './decode-text.ts'
import { peek } from './peek.ts'
import { readCsv } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'
import { type TableLimits, TableProblem, type TableRow, withinRowLimit } from './table.ts'
import { openTurns } from './turns.ts'

/**
 * Reads a file of rows: CSV in any usual encoding and with any usual separator, or XLSX. What it is
 * shows in its bytes, not in its name, and so does the separator of CSV unless it is given. The
 * memory it takes does not grow with the number of rows, except for the distinct texts of an XLSX
 * file. Throws a `TableProblem` for what it cannot read.
 */
export async function* readTable(
  stream: AsyncIterable<Uint8Array>,
  limits: TableLimits,
  separator?: string,
): AsyncGenerator<TableRow> {
  const { head, bytes, end } = await peek(withinByteLimit(stream, limits))
  if (head.length === 0) throw new TableProblem('The file is empty')
  try {
    if (isXlsx(head)) yield* withinRowLimit(readXlsx(bytes, limits), limits)
    else {
      refuseOtherFormats(head)
      yield* withinRowLimit(readCsv(decodeText(bytes), limits, separator), limits)
    }
  } finally {
    // Ends the source too when the reader stops early.
    await end()
  }
}

const inTurn = openTurns({ runningMax: 2, waitingMax: 50, ownMax: 5 })

/** The same in a thread of low priority, one file at a time for each owner. */
export function readTableApart(
  stream: AsyncIterable<Uint8Array>,
  limits: TableLimits,
  owner: string,
): AsyncGenerator<TableRow> {
  const work = { module: import.meta.url, name: 'readTable', args: [limits] }
  return inTurn(owner, () => runApart<TableRow>(work, stream))
}

async function* withinByteLimit(
  stream: AsyncIterable<Uint8Array>,
  { bytesMax }: TableLimits,
): AsyncGenerator<Buffer> {
  let total = 0
  for await (const chunk of stream) {
    total += chunk.length
    if (total > bytesMax)
      throw new TableProblem('The file is larger than {bytesMax} bytes', { bytesMax })
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  }
}

const otherFormats: [mark: string, problem: string][] = [
  [
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    'This is an old Excel file, or one with a password: save it as .xlsx without one, or as CSV',
  ],
  ['%PDF', 'This is a PDF: send a CSV or XLSX file'],
  ['\x1f\x8b', 'This is a compressed file: send the CSV or XLSX file in it'],
  ['PK', 'The file is damaged: it ends too early or was changed on its way'],
  ['<', 'This is a web page or another XML file: send a CSV or XLSX file'],
]

function refuseOtherFormats(head: Buffer): void {
  const found = otherFormats.find(([mark]) => beginsWith(head, mark))
  if (found !== undefined) throw new TableProblem(found[1])
}

/** Whether a file of these first bytes is read as an Excel workbook. */
export function isXlsx(head: Buffer): boolean {
  return beginsWith(head, 'PK\x03\x04')
}

function beginsWith(head: Buffer, mark: string): boolean {
  return head.toString('latin1', 0, mark.length) === mark
}
