import { posix } from 'node:path'
import { type Attributes, readXml, readXmlBoolean } from './read-xml.ts'
import type { ZipFile } from './read-zip.ts'
import { SharedTexts } from './shared-texts.ts'
import { isDateFormat } from './spreadsheet-value.ts'
import { type TableLimits, TableProblem } from './table.ts'

/** Where the parts of a workbook are, and what its numbers mean. */
export interface Workbook {
  /** The name of the part with the first visible sheet. */
  sheet: string
  sharedTexts: string | undefined
  /** By style number: whether a number of that style is a date. */
  dateStyles: boolean[]
  /** Whether days are counted from 1904, as old programs for the Macintosh did. */
  isFrom1904: boolean
}

/** Reads everything that comes before the rows. */
export async function readWorkbook(zip: ZipFile): Promise<Workbook> {
  const [main] = await relationsOf(zip, '', ['officeDocument'])
  const path = main?.target ?? 'xl/workbook.xml'
  if (!zip.has(path))
    throw new TableProblem('This is not an Excel workbook: send a CSV or XLSX file')
  const { sheetIds, isFrom1904 } = await readBook(zip, path)
  const parts = await relationsOf(zip, path, ['worksheet', 'sharedStrings', 'styles'])
  const sheet = sheetIds
    .map((id) => parts.find((part) => part.id === id && part.kind === 'worksheet'))
    .find((part) => part !== undefined)
  if (sheet === undefined) throw new TableProblem('The workbook has no visible sheet')
  const targetOf = (kind: string) => parts.find((part) => part.kind === kind)?.target
  const styles = targetOf('styles')
  return {
    sheet: sheet.target,
    sharedTexts: targetOf('sharedStrings'),
    dateStyles: styles === undefined ? [] : await readDateStyles(zip, styles),
    isFrom1904,
  }
}

interface Relation {
  id: string
  kind: string
  target: string
}

/** The parts that a part refers to, of these kinds. */
async function relationsOf(zip: ZipFile, path: string, kinds: string[]): Promise<Relation[]> {
  const folder = path === '' ? '' : posix.dirname(path)
  const name = posix.join(folder, '_rels', `${posix.basename(path)}.rels`)
  const found: Relation[] = []
  if (!zip.has(name)) return found
  await readXml(zip.read(name), {
    open: (tag, { Id: id = '', Type: type = '', Target: target = '' }) => {
      const kind = type.slice(type.lastIndexOf('/') + 1)
      if (tag === 'Relationship' && kinds.includes(kind))
        found.push({ id, kind, target: posix.join(target.startsWith('/') ? '' : folder, target) })
    },
  })
  return found
}

async function readBook(zip: ZipFile, path: string) {
  const sheetIds: string[] = []
  let isFrom1904 = false
  await readXml(zip.read(path), {
    open: (tag, attributes) => {
      if (tag === 'workbookPr') isFrom1904 = readXmlBoolean(attributes.date1904 ?? '') === true
      if (tag === 'sheet' && (attributes.state ?? 'visible') === 'visible')
        sheetIds.push(relationId(attributes))
    },
  })
  return { sheetIds, isFrom1904 }
}

function relationId(attributes: Attributes): string {
  const name = Object.keys(attributes).find((one) => one === 'id' || one.endsWith(':id'))
  return attributes[name ?? ''] ?? ''
}

// Far more than any program writes.
const stylesMax = 100_000

async function readDateStyles(zip: ZipFile, path: string): Promise<boolean[]> {
  const formats = new Map<string, string>()
  const dateStyles: boolean[] = []
  let isInCells = false
  await readXml(zip.read(path), {
    open: (tag, attributes) => {
      const { numFmtId = '0', formatCode = '' } = attributes
      if (tag === 'numFmt') formats.set(numFmtId, formatCode)
      if (tag === 'cellXfs') isInCells = true
      if (tag === 'xf' && isInCells && dateStyles.length < stylesMax)
        dateStyles.push(isDateFormat(Number(numFmtId), formats.get(numFmtId)))
    },
    close: (tag) => {
      if (tag === 'cellXfs') isInCells = false
    },
  })
  return dateStyles
}

/** The texts that cells share. They are kept in memory, up to a limit. */
export async function readSharedTexts(
  zip: ZipFile,
  { sharedTexts: path }: Workbook,
  { cellLengthMax, textBytesMax = Number.POSITIVE_INFINITY }: TableLimits,
): Promise<SharedTexts> {
  const texts = new SharedTexts()
  if (path === undefined || !zip.has(path)) return texts
  let text = ''
  let isText = false
  let isPhonetic = false
  await readXml(zip.read(path), {
    open: (tag) => {
      if (tag === 'si') text = ''
      if (tag === 'rPh') isPhonetic = true
      isText = tag === 't' && !isPhonetic
    },
    text: (part) => {
      if (isText) text += part.slice(0, cellLengthMax + 1)
    },
    close: (tag) => {
      if (tag === 'rPh') isPhonetic = false
      if (tag === 't') isText = false
      if (tag !== 'si') return
      texts.add(text.length > cellLengthMax ? null : text)
      if (texts.bytes > textBytesMax)
        throw new TableProblem('The workbook has too many different texts: save it as CSV')
    },
  })
  return texts
}
