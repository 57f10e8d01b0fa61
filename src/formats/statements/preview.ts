import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { peek } from '#formats/tables/peek.ts'
import { isXlsx, readTable } from '#formats/tables/read-table.ts'
import { columnName, TableProblem, type TableRow } from '#formats/tables/table.ts'
import { isXml } from './camt.ts'
import { guessMapping } from './guess-mapping.ts'
import type { Header } from './header.ts'
import type { ColumnField, Mapping } from './mapping.ts'
import { RowReader } from './read-rows.ts'
import { readStatement, type StatementOptions, statementLimits } from './read-statement.ts'
import type { StatementItem, StatementLine } from './statement.ts'

/** What was understood of the beginning of a file. */
export interface StatementPreview {
  /** csv, xlsx, or camt.053 with its version; empty: it is none of them. */
  format: string
  /** Of CSV and XLSX: the columns of the line with titles, and what each means. */
  columns: PreviewColumn[]
  /** The first lines as they are understood. */
  lines: StatementLine[]
  /** All among the rows that were read. */
  problems: { line: number; reason: Reason }[]
  /** What the mapping says is no line. */
  skipped: { line: number; reason: Reason }[]
  opening: number | null
  closing: number | null
  /** What it was read by; null: nothing, since no mapping fits and none could be guessed. */
  mapping: Mapping | null
  /** The mapping that its titles suggest, where none is given or built in. */
  proposal: Mapping | null
  /** What a person has to decide before the proposal can be kept. */
  undecided: Reason[]
  /** Whether the file ended before the preview did. */
  isWhole: boolean
}

export interface PreviewColumn {
  /** A, B, C, as spreadsheet programs name it. */
  letter: string
  title: string
  /** Null: it is not used. */
  meaning: ColumnField | null
  /** The first value under it. */
  example: string
}

const rowsMax = 1000
// Rows of many long cells would else be the memory of a whole process.
const charactersMax = 4_000_000

/** Reads the beginning of a file, and says what is understood of it. Nothing is kept. */
export async function previewStatement(
  stream: AsyncIterable<Uint8Array>,
  mapping: Mapping | undefined,
  linesMax = 20,
  options: StatementOptions = {},
): Promise<StatementPreview> {
  const { head, bytes, end } = await peek(stream)
  try {
    const preview = isXml(head)
      ? await previewCamt(bytes, mapping, linesMax, options)
      : await previewRows(bytes, mapping, linesMax, { ...options, isSpreadsheet: isXlsx(head) })
    const { lines, problems, isWhole } = preview
    // The import would refuse it.
    if (isWhole && lines.length === 0 && problems.length === 0)
      problems.push({ line: 0, reason: reason('The file has no lines') })
    return preview
  } finally {
    await end()
  }
}

function emptyPreview(): StatementPreview {
  return {
    format: '',
    columns: [],
    lines: [],
    problems: [],
    skipped: [],
    opening: null,
    closing: null,
    mapping: null,
    proposal: null,
    undecided: [],
    isWhole: false,
  }
}

async function previewCamt(
  bytes: AsyncIterable<Buffer>,
  mapping: Mapping | undefined,
  linesMax: number,
  options: StatementOptions,
): Promise<StatementPreview> {
  const preview = { ...emptyPreview(), mapping: mapping ?? null }
  const onFormat = (format: string) => void (preview.format = format)
  let items = 0
  for await (const item of readStatement(bytes, mapping, { ...options, onFormat })) {
    note(preview, item, linesMax)
    items += 1
    if (items >= rowsMax) return preview
  }
  return { ...preview, isWhole: true }
}

function note(preview: StatementPreview, item: StatementItem, linesMax: number): void {
  if (item.kind === 'line') {
    if (preview.lines.length < linesMax) preview.lines.push(item.line)
  } else if (item.kind === 'balance') preview[item.which] = item.amount
  else {
    const list = item.kind === 'problem' ? preview.problems : preview.skipped
    list.push({ line: item.line, reason: item.reason })
  }
}

type RowsOptions = StatementOptions & { isSpreadsheet: boolean }

async function previewRows(
  bytes: AsyncIterable<Buffer>,
  given: Mapping | undefined,
  linesMax: number,
  options: RowsOptions,
): Promise<StatementPreview> {
  const { rows, isWhole, problem } = await firstRows(bytes, given, options)
  const format = options.isSpreadsheet ? 'xlsx' : 'csv'
  if (rows.length === 0 && problem !== undefined)
    return { ...emptyPreview(), problems: [problem], isWhole }
  const read = readFirst(rows, given, linesMax, { ...options, isWhole })
  const isKnown = given !== undefined || read.mapping !== null
  const guess = isKnown ? undefined : guessMapping(rows)
  const preview =
    guess === undefined
      ? read
      : {
          ...readFirst(rows, guess.mapping, linesMax, { ...options, isWhole }),
          proposal: guess.mapping,
          undecided: guess.undecided,
        }
  const problems = problem === undefined ? preview.problems : [...preview.problems, problem]
  return { ...preview, format, problems, isWhole }
}

async function firstRows(
  bytes: AsyncIterable<Buffer>,
  mapping: Mapping | undefined,
  { limits = statementLimits }: RowsOptions,
) {
  const rows: TableRow[] = []
  let characters = 0
  try {
    for await (const row of readTable(bytes, limits, mapping?.separator)) {
      rows.push(row)
      characters += row.cells.reduce((sum, cell) => sum + cell.length, row.cells.length)
      if (rows.length >= rowsMax || characters > charactersMax) return { rows, isWhole: false }
    }
    return { rows, isWhole: true }
  } catch (problem) {
    if (!(problem instanceof TableProblem)) throw problem
    const { text, values } = problem
    const found = { line: Number(values.line ?? 0), reason: reason(text, values) }
    return { rows, isWhole: false, problem: found }
  }
}

/** Reads rows by a mapping, or by a built-in one. */
function readFirst(
  rows: TableRow[],
  mapping: Mapping | undefined,
  linesMax: number,
  { currency, timeZone, isSpreadsheet, isWhole }: RowsOptions & { isWhole: boolean },
): StatementPreview {
  const preview = emptyPreview()
  const onHeader = (header: Header, found: Mapping) => {
    preview.mapping = found
    preview.columns = columnsOf(header, rows)
  }
  const reader = new RowReader(mapping, { currency, timeZone, isSpreadsheet, onHeader })
  for (const row of rows) {
    if (reader.hasFailed) break
    for (const item of reader.take(row)) note(preview, item, linesMax)
  }
  // Balances and titles that are missing are known at the end only.
  if (isWhole || preview.mapping === null)
    for (const item of reader.finish()) note(preview, item, linesMax)
  if (preview.mapping === null && mapping !== undefined && rows.length > 0)
    preview.columns = columnsOf(unknownHeader(rows), rows)
  return preview
}

/** The row that looks most like titles, to show where none was found. */
function unknownHeader(rows: TableRow[]): Pick<Header, 'line' | 'titles' | 'places'> {
  const first = rows.slice(0, 30)
  const widest = Math.max(...first.map(({ cells }) => cells.length))
  const row = first.find(({ cells }) => cells.length === widest)
  const titles = (row?.cells ?? []).map((cell) => oneLine(cell, 60))
  return { line: row?.line ?? 0, titles, places: new Map() }
}

function columnsOf(
  { line, titles, places }: Pick<Header, 'line' | 'titles' | 'places'>,
  rows: TableRow[],
): PreviewColumn[] {
  const below = rows.filter((row) => row.line > line)
  const width = Math.max(titles.length, line === 0 ? (below[0]?.cells.length ?? 0) : 0)
  const meanings = new Map([...places].flatMap(([field, all]) => all.map((one) => [one, field])))
  return Array.from({ length: width }, (_, place) => ({
    letter: columnName(place),
    title: titles[place] ?? '',
    meaning: meanings.get(place) ?? null,
    example: oneLine(below.find(({ cells }) => cells[place]?.trim())?.cells[place] ?? '', 60),
  }))
}
