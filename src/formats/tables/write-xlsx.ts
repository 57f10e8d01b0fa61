import {
  checkWhole,
  inBlocks,
  type OutputColumn,
  type OutputTable,
  openPauses,
  readRow,
  type Value,
  wallTime,
} from './output.ts'
import { columnName } from './table.ts'
import { writeZip, type ZipPart } from './write-zip.ts'

// What a spreadsheet program can open.
const usualRowsMax = 1_048_576
const cellLengthMax = 32_767

/**
 * Writes a table as an Excel workbook: the header stays in view, numbers are numbers, and a text is
 * never a formula, whatever it begins with. More rows than a sheet can have go on in another one.
 */
export function writeXlsx(table: OutputTable, rowsMax = usualRowsMax): AsyncGenerator<Buffer> {
  return writeZip(partsOf(table, rowsMax))
}

async function* partsOf(table: OutputTable, rowsMax: number): AsyncGenerator<ZipPart> {
  const rest = new Rest(table.rows)
  let sheets = 0
  try {
    yield part('_rels/.rels', packageRelations)
    do {
      sheets += 1
      const rows = rest.take(rowsMax - 1)
      yield {
        name: `xl/worksheets/sheet${sheets}.xml`,
        blocks: inBlocks(sheet({ ...table, rows })),
      }
    } while (await rest.hasMore())
    // How many sheets there are is known only now.
    yield part('xl/workbook.xml', workbook(table.title, sheets))
    yield part('xl/_rels/workbook.xml.rels', workbookRelations(sheets))
    yield part('xl/styles.xml', styles)
    yield part('[Content_Types].xml', contentTypes(sheets))
  } finally {
    await rest.close()
  }
}

function part(name: string, text: string): ZipPart {
  return { name, blocks: [Buffer.from(xmlStart + text)] }
}

/** Rows that several sheets share. */
class Rest<Row> {
  readonly #rows: AsyncIterator<Row> | Iterator<Row>
  #next: IteratorResult<Row> | undefined

  constructor(rows: AsyncIterable<Row> | Iterable<Row>) {
    this.#rows =
      Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  async hasMore(): Promise<boolean> {
    this.#next ??= await this.#rows.next()
    return this.#next.done !== true
  }

  /** The next rows, so many at most. */
  async *take(most: number): AsyncGenerator<Row> {
    for (let taken = 0; taken < most && (await this.hasMore()); taken += 1) {
      const row = this.#next?.value
      this.#next = undefined
      yield row
    }
  }

  async close(): Promise<void> {
    await this.#rows.return?.()
  }
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const xmlStart = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function contentTypes(sheets: number): string {
  const own = numbersTo(sheets).map(
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml"` +
      ` ContentType="${type}.worksheet+xml"/>`,
  )
  return (
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
    `<Default Extension="rels"` +
    ` ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Default Extension="xml" ContentType="application/xml"/>` +
    `<Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>` +
    `${own.join('')}</Types>`
  )
}

const packageRelations =
  `<Relationships xmlns="${relations}">` +
  `<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/>` +
  `</Relationships>`

function workbookRelations(sheets: number): string {
  const own = numbersTo(sheets).map(
    (number) =>
      `<Relationship Id="rId${number}" Type="${office}/worksheet"` +
      ` Target="worksheets/sheet${number}.xml"/>`,
  )
  return (
    `<Relationships xmlns="${relations}">${own.join('')}` +
    `<Relationship Id="styles" Type="${office}/styles" Target="styles.xml"/></Relationships>`
  )
}

function workbook(title: string, sheets: number): string {
  const own = numbersTo(sheets).map(
    (number) =>
      `<sheet name="${escape(sheetName(title, number))}" sheetId="${number}" r:id="rId${number}"/>`,
  )
  return `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${own.join('')}</sheets></workbook>`
}

/** Sheets have at most 31 characters in their names, and not these. */
function sheetName(title: string, number: number): string {
  const name = title.replaceAll(/[\\/?*[\]:]/g, ' ').replaceAll(/^'+|'+$/g, '')
  const end = number === 1 ? '' : ` ${number}`
  const cut = Array.from(name).slice(0, 31 - end.length)
  return `${cut.join('').trim()}${end}`.trim() || '1'
}

// The number of a cell's style is its place among the `xf` of `cellXfs`.
const headerStyle = 1
const styleOf: Record<OutputColumn['kind'], number> = { text: 2, money: 3, whole: 4, moment: 5 }
// The same in bold follow.
const totalStyles = 4

const styles =
  `<styleSheet xmlns="${main}"><numFmts count="2">` +
  `<numFmt numFmtId="164" formatCode="#,##0&quot; F CFA&quot;"/>` +
  `<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>` +
  `<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
  `<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
  `<fills count="2"><fill><patternFill patternType="none"/></fill>` +
  `<fill><patternFill patternType="gray125"/></fill></fills>` +
  `<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
  `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
  `<cellXfs count="10">${style(0, 0)}${style(0, 1)}${stylesIn(0)}${stylesIn(1)}</cellXfs>` +
  `</styleSheet>`

function stylesIn(font: number): string {
  return [49, 164, 1, 165].map((format) => style(format, font)).join('')
}

function style(format: number, font: number): string {
  return (
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"` +
    ` applyNumberFormat="1" applyFont="1"/>`
  )
}

async function* sheet({ columns, rows, timeZone }: OutputTable): AsyncGenerator<string> {
  const names = columns.map((_, index) => columnName(index))
  const widths = columns.map(
    ({ width }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width + 2}" customWidth="1"/>`,
  )
  yield `${xmlStart}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>` +
    `</sheetViews><cols>${widths.join('')}</cols><sheetData>`
  const titles = columns.map(({ title }, index) => textCell(title, headerStyle, `${names[index]}1`))
  yield `<row r="1">${titles.join('')}</row>`
  let line = 1
  const pause = openPauses()
  for await (const row of rows) {
    await pause()
    line += 1
    const { cells, isTotal } = readRow(row)
    const written = columns.map(({ kind }, index) => {
      const place = { name: `${names[index]}${line}`, isTotal }
      return cellOf(cells[index] ?? null, kind, place, timeZone)
    })
    yield `<row r="${line}">${written.join('')}</row>`
  }
  yield '</sheetData></worksheet>'
}

function cellOf(
  value: Value,
  kind: OutputColumn['kind'],
  { name, isTotal }: { name: string; isTotal: boolean },
  timeZone?: string,
): string {
  if (value === null) return ''
  const weight = isTotal ? totalStyles : 0
  if (typeof value === 'string') return textCell(value, styleOf.text + weight, name)
  const isMoment = value instanceof Date
  const number = isMoment ? serialOf(value, timeZone) : checkWhole(value)
  return `<c r="${name}" s="${styleOf[isMoment ? 'moment' : kind] + weight}"><v>${number}</v></c>`
}

function textCell(text: string, styleNumber: number, place: string): string {
  const cut = text.length > cellLengthMax ? text.slice(0, cellLengthMax) : text
  const inline = `<is><t xml:space="preserve">${escape(cut)}</t></is>`
  return `<c r="${place}" t="inlineStr" s="${styleNumber}">${inline}</c>`
}

const dayMs = 86_400_000
const firstDayMs = Date.UTC(1899, 11, 30)

/** Spreadsheet programs count days. */
function serialOf(moment: Date, timeZone?: string): number {
  const shown = new Date(`${wallTime(moment, timeZone).replace(' ', 'T')}Z`)
  return (shown.getTime() - firstDayMs) / dayMs
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML cannot hold is written as _x0001_; a text that already looks so is kept as it is. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (one) =>
      one === '\n' || one === '\t' ? one : codeOf(one),
    )
    .replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)
}

function codeOf(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
}
