import type { Language } from '#base/kit/language.ts'
import { formatCount } from '#base/kit/money.ts'
import { type OutputColumn, type OutputTable, openPauses, plainText, type Value } from './output.ts'
import { PdfFile, pageSize } from './pdf-file.ts'
import { breakLines, encodePdfText, type PdfFont, textWidth } from './pdf-text.ts'

/** A table to print, with what stands above it on the first page. */
export interface PrintedTable extends OutputTable {
  /** Whose it is, of which time: a line each. */
  subtitles: string[]
  /** Figures above the table, such as the opening balance. */
  summary: [label: string, value: string][]
  language: Language
}

const margin = 40
const textSize = 8
const lineHeight = 11
const cellPadding = 3
const cellLinesMax = 3
const headerHeight = 18
const footerTop = 60
const tableWidth = pageSize.width - 2 * margin

/** Writes a table as PDF, page by page: A4, the header on every page, page numbers at the foot. */
export async function* writePdf(table: PrintedTable): AsyncGenerator<Buffer> {
  const file = new PdfFile()
  const columns = placed(table.columns)
  yield file.begin(table.title, table.language)
  let pageNumber = 1
  let page = new Page(pageNumber)
  drawTop(page, table)
  drawHeader(page, columns)
  const pause = openPauses()
  for await (const row of table.rows) {
    await pause()
    const cells = columns.map((column, index) => cellLines(row[index] ?? null, column, table))
    const height = Math.max(...cells.map(({ length }) => length)) * lineHeight + cellPadding
    if (page.y - height < footerTop) {
      yield file.page(page.finish())
      pageNumber += 1
      page = new Page(pageNumber)
      drawHeader(page, columns)
    }
    drawRow(page, columns, cells, height)
  }
  yield file.page(page.finish())
  for (const block of file.end(drawCount)) {
    yield block
    await pause()
  }
}

function drawCount(count: number): Buffer {
  return Buffer.from(`BT /R ${textSize} Tf 0 3 Td (${count}) Tj ET`)
}

type PlacedColumn = OutputColumn & { left: number; right: number }

/** Columns share the width of the page as they need it. */
function placed(columns: OutputColumn[]): PlacedColumn[] {
  const total = columns.reduce((sum, { width }) => sum + width, 0)
  let left = margin
  return columns.map((column) => {
    const right = left + (tableWidth * column.width) / total
    const one = { ...column, left, right }
    left = right
    return one
  })
}

/** The content of a page, drawn from the top down. */
class Page {
  y = pageSize.height - margin
  readonly #parts: Buffer[] = []
  readonly #number: number

  constructor(number: number) {
    this.#number = number
  }

  text(bytes: Buffer, x: number, y: number, font: PdfFont, size: number): void {
    const name = font === 'bold' ? 'B' : 'R'
    const hex = bytes.toString('hex')
    this.#draw(`BT /${name} ${size} Tf ${point(x)} ${point(y)} Td <${hex}> Tj ET`)
  }

  /** A thin line over the width of the table. */
  rule(y: number, grey: number): void {
    const end = point(pageSize.width - margin)
    this.#draw(`${grey} G 0.5 w ${margin} ${point(y)} m ${end} ${point(y)} l S`)
  }

  finish(): Buffer {
    const label = encodePdfText(`Page ${this.#number} / `)
    this.text(label, margin, margin - 10, 'regular', textSize)
    // The number of pages is drawn by an object that is written at the end of the file.
    const x = margin + textWidth(label, 'regular', textSize)
    this.#draw(`q 1 0 0 1 ${point(x)} ${point(margin - 13)} cm /Count Do Q`)
    return Buffer.concat(this.#parts)
  }

  #draw(operators: string): void {
    this.#parts.push(Buffer.from(`${operators}\n`))
  }
}

function point(value: number): string {
  return value.toFixed(2)
}

const unit: Record<Language, string> = { fr: 'Montants en F CFA', en: 'Amounts in F CFA' }

function drawTop(page: Page, { title, subtitles, summary, columns, language }: PrintedTable): void {
  const line = (text: string, font: PdfFont, size: number, height: number) => {
    const [bytes] = breakLines(text, { font, size, width: tableWidth, linesMax: 1 })
    page.y -= height
    if (bytes !== undefined) page.text(bytes, margin, page.y, font, size)
  }
  line(title, 'bold', 16, 16)
  page.y -= 4
  for (const text of subtitles) line(text, 'regular', 9, 13)
  if (summary.length > 0) page.y -= 8
  for (const [label, value] of summary) {
    line(label, 'regular', 9, 14)
    const bytes = encodePdfText(value)
    const x = margin + tableWidth / 2 - textWidth(bytes, 'bold', 9)
    page.text(bytes, x, page.y, 'bold', 9)
  }
  page.y -= 14
  // Once for all: beside each amount it would take a second line.
  if (columns.some(({ kind }) => kind === 'money')) line(unit[language], 'regular', textSize, 4)
  page.y -= 6
}

function drawHeader(page: Page, columns: PlacedColumn[]): void {
  page.y -= headerHeight - 6
  for (const column of columns) {
    const width = column.right - column.left - 2 * cellPadding
    const [bytes] = breakLines(column.title, { font: 'bold', size: textSize, width, linesMax: 1 })
    if (bytes !== undefined) drawCell(page, bytes, column, page.y, 'bold')
  }
  page.y -= 6
  page.rule(page.y, 0.2)
}

function drawRow(page: Page, columns: PlacedColumn[], cells: Buffer[][], height: number): void {
  columns.forEach((column, index) => {
    cells[index]?.forEach((bytes, line) => {
      drawCell(page, bytes, column, page.y - (line + 1) * lineHeight + 1, 'regular')
    })
  })
  page.y -= height
  page.rule(page.y, 0.85)
}

function drawCell(
  page: Page,
  bytes: Buffer,
  { kind, left, right }: PlacedColumn,
  y: number,
  font: PdfFont,
): void {
  const isRight = kind === 'money' || kind === 'whole'
  const x = isRight ? right - cellPadding - textWidth(bytes, font, textSize) : left + cellPadding
  page.text(bytes, x, y, font, textSize)
}

function cellLines(value: Value, column: PlacedColumn, { timeZone }: OutputTable): Buffer[] {
  const isMoney = column.kind === 'money' && typeof value === 'number'
  const text = isMoney ? formatCount(value) : shownText(value, timeZone)
  const width = column.right - column.left - 2 * cellPadding
  return breakLines(text, { font: 'regular', size: textSize, width, linesMax: cellLinesMax })
}

/** As plain text, with moments as people write them: 31/10/2026 14:05. */
function shownText(value: Value, timeZone?: string): string {
  const text = plainText(value, timeZone)
  if (!(value instanceof Date)) return text
  const [year, month, day] = text.slice(0, 10).split('-')
  return `${day}/${month}/${year}\u00a0${text.slice(11, 16)}`
}
