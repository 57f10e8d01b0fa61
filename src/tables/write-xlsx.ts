import type { OutputColumn, OutputTable, Value } from './output.ts'
import { checkWhole, FileTooLarge, inBlocks, openPauses, wallTime } from './output.ts'
import { columnName } from './table.ts'
import type { ZipPart } from './write-zip.ts'
import { writeZip } from './write-zip.ts'

// What a spreadsheet program can open.
const rowsMax = 1_048_576
const cellLengthMax = 32_767

/**
 * Writes a table as an Excel workbook of one sheet: the header stays in view, numbers are numbers,
 * and a text is never a formula, whatever it begins with.
 */
export function writeXlsx(table: OutputTable): AsyncGenerator<Buffer> {
  return writeZip(partsOf(table))
}

function* partsOf(table: OutputTable): Generator<ZipPart> {
  const files: [name: string, text: string][] = [
    ['[Content_Types].xml', contentTypes],
    ['_rels/.rels', packageRelations],
    ['xl/workbook.xml', workbook(table.title)],
    ['xl/_rels/workbook.xml.rels', workbookRelations],
    ['xl/styles.xml', styles],
  ]
  for (const [name, text] of files) yield { name, blocks: [Buffer.from(xmlStart + text)] }
  yield { name: 'xl/worksheets/sheet1.xml', blocks: inBlocks(sheet(table)) }
}

const xmlStart = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const contentTypes =
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  `<Default Extension="rels"` +
  ` ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="application/xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/>` +
  `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/></Types>`

const packageRelations =
  `<Relationships xmlns="${relations}">` +
  `<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/>` +
  `</Relationships>`

const workbookRelations =
  `<Relationships xmlns="${relations}">` +
  `<Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>` +
  `<Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`

function workbook(title: string): string {
  return (
    `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>` +
    `<sheet name="${escape(sheetName(title))}" sheetId="1" r:id="rId1"/></sheets></workbook>`
  )
}

/** Sheets have at most 31 characters in their names, and not these. */
function sheetName(title: string): string {
  const name = title.replaceAll(/[\\/?*[\]:]/g, ' ').replaceAll(/^'+|'+$/g, '')
  return Array.from(name).slice(0, 31).join('').trim() || '1'
}

// The number of a cell's style is its place among the `xf` of `cellXfs`.
const headerStyle = 1
const styleOf: Record<OutputColumn['kind'], number> = { text: 2, money: 3, whole: 4, moment: 5 }

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
  `<cellXfs count="6">${style(0, 0)}${style(0, 1)}${style(49, 0)}${style(164, 0)}` +
  `${style(1, 0)}${style(165, 0)}</cellXfs></styleSheet>`

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
    if (line > rowsMax) throw new FileTooLarge('rows')
    const cells = columns.map(({ kind }, index) =>
      cellOf(row[index] ?? null, kind, `${names[index]}${line}`, timeZone),
    )
    yield `<row r="${line}">${cells.join('')}</row>`
  }
  yield '</sheetData></worksheet>'
}

function cellOf(
  value: Value,
  kind: OutputColumn['kind'],
  place: string,
  timeZone?: string,
): string {
  if (value === null) return ''
  if (typeof value === 'string') return textCell(value, styleOf.text, place)
  const isMoment = value instanceof Date
  const number = isMoment ? serialOf(value, timeZone) : checkWhole(value)
  return `<c r="${place}" s="${styleOf[isMoment ? 'moment' : kind]}"><v>${number}</v></c>`
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
