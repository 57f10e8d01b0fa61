import { Buffer } from 'node:buffer'
import type { OutputTable } from '#formats/tables/output.ts'
import { readTable } from '#formats/tables/read-table.ts'
import type { TableLimits, TableRow } from '#formats/tables/table.ts'
import { writeZip } from '#formats/tables/write-zip.ts'

export const limits: TableLimits = {
  bytesMax: 1_000_000,
  unpackedBytesMax: 5_000_000,
  rowsMax: 1000,
  columnsMax: 20,
  cellLengthMax: 500,
}

/** Reads a file that arrives in chunks of a size. */
export async function rowsOf(
  bytes: Buffer | string,
  own: Partial<TableLimits> = {},
  chunkBytes = 65_536,
): Promise<TableRow[]> {
  const file = Buffer.from(bytes as string)
  const rows: TableRow[] = []
  for await (const row of readTable(chunksOf(file, chunkBytes), { ...limits, ...own }))
    rows.push(row)
  return rows
}

async function* chunksOf(file: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes)
}

/** Everything that a writer writes. */
export async function bytesOf(blocks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const block of blocks) all.push(block)
  return Buffer.concat(all)
}

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook as spreadsheet programs write it, from the XML of its rows and other parts. */
export function workbook(
  sheet: string,
  { texts = '', styles = '', book = '' }: { texts?: string; styles?: string; book?: string } = {},
): Promise<Buffer> {
  const relation = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${relations}/${kind}" Target="${target}"/>`
  const relationsTo = (...all: string[]) => `<Relationships>${all.join('')}</Relationships>`
  const sheets = '<sheets><sheet name="1" r:id="s"/></sheets>'
  return zipOf({
    '_rels/.rels': relationsTo(relation('a', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook xmlns:r="${relations}">${book}${sheets}</workbook>`,
    'xl/_rels/workbook.xml.rels': relationsTo(
      relation('s', 'worksheet', 'worksheets/sheet1.xml'),
      relation('t', 'sharedStrings', '/xl/sharedStrings.xml'),
      relation('y', 'styles', 'styles.xml'),
    ),
    'xl/sharedStrings.xml': `<sst>${texts}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    'xl/worksheets/sheet1.xml': sheet.startsWith('<?')
      ? sheet
      : `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  })
}

/** An archive of these files. */
export function zipOf(files: Record<string, string | Iterable<Buffer>>): Promise<Buffer> {
  const parts = Object.entries(files).map(([name, content]) => ({
    name,
    blocks: typeof content === 'string' ? [Buffer.from(content)] : content,
  }))
  return bytesOf(writeZip(parts))
}

/** A table of texts. */
export function textTable(titles: string[], rows: string[][]): OutputTable {
  const columns = titles.map((title) => ({ title, kind: 'text' as const, width: 10 }))
  return { title: 'Table', columns, rows }
}
