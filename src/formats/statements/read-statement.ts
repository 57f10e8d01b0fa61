import { reason } from '#base/kit/refusal.ts'
import { peek } from '#formats/tables/peek.ts'
import { isXlsx, readTable } from '#formats/tables/read-table.ts'
import { type TableLimits, TableProblem } from '#formats/tables/table.ts'
import type { Currency } from '#merchants/catalog/countries.ts'
import { isXml, readCamt } from './camt.ts'
import type { Header } from './header.ts'
import type { Mapping } from './mapping.ts'
import { RowReader } from './read-rows.ts'
import { sentences } from './sentences.ts'
import type { StatementItem } from './statement.ts'

/**
 * What a statement may cost. Bytes and rows are far above those of a busy day; what bounds the
 * memory is the width of a row, the length of a cell and, in workbooks, all different texts.
 */
export const statementLimits: TableLimits = {
  bytesMax: 100_000_000_000,
  unpackedBytesMax: 4_000_000_000,
  rowsMax: 100_000_000,
  columnsMax: 200,
  cellLengthMax: 2000,
  textBytesMax: 200_000_000,
}

export interface StatementOptions {
  limits?: TableLimits
  /** Of the account; a line in another one is a problem. */
  currency?: Currency | undefined
  /** Of its days, where the mapping names none. */
  timeZone?: string | undefined
  /** Told what the file is, and where its columns are as soon as they were found. */
  onFormat?: (format: string) => void
  onHeader?: (header: Header, mapping: Mapping) => void
}

/**
 * Reads a file of a provider: CSV or XLSX in the words of a mapping, or of a built-in one if none
 * is given, or ISO 20022 camt.053. Every problem comes as an item, and nothing is left out in
 * silence; where there is a problem, no item of the file is to be used. The memory it takes does
 * not grow with the file, but for the different texts of a workbook.
 */
export async function* readStatement(
  stream: AsyncIterable<Uint8Array>,
  mapping: Mapping | undefined,
  options: StatementOptions = {},
): AsyncGenerator<StatementItem> {
  const { head, bytes, end } = await peek(stream)
  const limits = options.limits ?? statementLimits
  try {
    const items = isXml(head)
      ? readCamt(bytes, mapping, { ...options, limits })
      : readRows(bytes, mapping, { ...options, limits, isSpreadsheet: isXlsx(head) })
    yield* countable(items)
  } catch (problem) {
    if (!(problem instanceof TableProblem)) throw problem
    const { text, values } = problem
    yield { kind: 'problem', line: Number(values.line ?? 0), reason: reason(text, values) }
  } finally {
    await end()
  }
}

/** Refuses amounts that together are more than can be counted exactly. */
async function* countable(items: AsyncIterable<StatementItem>): AsyncGenerator<StatementItem> {
  let total = 0
  for await (const item of items) {
    if (item.kind === 'line') total += item.line.amount + item.line.fee
    if (total > Number.MAX_SAFE_INTEGER) throw new TableProblem(sentences.tooMuch)
    yield item
  }
}

interface Reading extends StatementOptions {
  limits: TableLimits
  isSpreadsheet: boolean
}

async function* readRows(
  bytes: AsyncIterable<Buffer>,
  mapping: Mapping | undefined,
  { limits, onFormat, ...options }: Reading,
): AsyncGenerator<StatementItem> {
  onFormat?.(options.isSpreadsheet ? 'xlsx' : 'csv')
  const reader = new RowReader(mapping, options)
  for await (const row of readTable(bytes, limits, mapping?.separator)) {
    yield* reader.take(row)
    if (reader.hasFailed) return
  }
  yield* reader.finish()
}
