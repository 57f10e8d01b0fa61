import { decodeText } from '#formats/tables/decode-text.ts'
import { type Attributes, openXmlTextReader, type XmlTextReader } from '#formats/tables/read-xml.ts'
import { type TableLimits, TableProblem } from '#formats/tables/table.ts'
import type { Currency } from '#merchants/catalog/countries.ts'
import { CamtStatements } from './camt-statements.ts'
import { type CamtNode, camtDocument } from './camt-tree.ts'
import type { Mapping } from './mapping.ts'
import { sentences } from './sentences.ts'
import type { StatementItem } from './statement.ts'

interface CamtOptions {
  limits: TableLimits
  currency?: Currency | undefined
  timeZone?: string | undefined
  onFormat?: (format: string) => void
}

/** Whether a file of these first bytes is XML, in any encoding. */
export function isXml(head: Buffer): boolean {
  const text = head.toString('latin1').replaceAll(/[\0\xef\xbb\xbf\xfe\xff\s]/g, '')
  return text.startsWith('<')
}

/** Reads ISO 20022 camt.053: as many statements as it has, in one currency. */
export async function* readCamt(
  bytes: AsyncIterable<Buffer>,
  mapping: Mapping | undefined,
  { limits, onFormat, ...account }: CamtOptions,
): AsyncGenerator<StatementItem> {
  const reader = new CamtReader(limits, new CamtStatements(mapping, account), onFormat)
  for await (const text of decodeText(withinLimit(bytes, limits))) yield* reader.take(text)
  yield* reader.finish()
}

async function* withinLimit(bytes: AsyncIterable<Buffer>, { bytesMax }: TableLimits) {
  let total = 0
  for await (const block of bytes) {
    total += block.length
    if (total > bytesMax)
      throw new TableProblem('The file is larger than {bytesMax} bytes', { bytesMax })
    yield block
  }
}

/** Follows the elements of a document, and keeps the texts of those that mean something. */
class CamtReader {
  readonly #xml: XmlTextReader
  readonly #limits: TableLimits
  readonly #statements: CamtStatements
  readonly #onFormat: ((format: string) => void) | undefined
  /** The elements that are open; undefined: one that means nothing here. */
  readonly #path: (CamtNode | undefined)[] = []
  #currency: string | undefined
  #text = ''
  #isDocument = false

  constructor(
    limits: TableLimits,
    statements: CamtStatements,
    onFormat: ((format: string) => void) | undefined,
  ) {
    this.#limits = limits
    this.#statements = statements
    this.#onFormat = onFormat
    this.#xml = openXmlTextReader(
      {
        open: (name, attributes) => this.#open(name, attributes),
        text: (text) => this.#take(text),
        close: () => this.#close(),
      },
      malformed,
    )
  }

  take(text: string): StatementItem[] {
    this.#xml.take(text)
    return this.#statements.takeItems()
  }

  finish(): StatementItem[] {
    this.#xml.finish()
    if (!this.#isDocument) throw new TableProblem(sentences.noStatement)
    this.#statements.finish()
    return this.#statements.takeItems()
  }

  #open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1)
    const node = name === 'Document' ? this.#openDocument(attributes) : parent?.children.get(name)
    this.#path.push(node)
    this.#text = ''
    this.#currency = attributes.Ccy
    if (node?.ends !== undefined) this.#statements.begin(node.ends, this.#xml.line)
  }

  /** An envelope may be around a document; the version is in the name of its namespace. */
  #openDocument(attributes: Attributes): CamtNode {
    const names = Object.entries(attributes)
      .filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'))
      .map(([, value]) => value)
    const versions = names.map((one) => /:(camt\.053\.001\.(\d\d))$/.exec(one))
    const [, format = '', version] = versions.find((one) => one !== null) ?? []
    const number = Number(version)
    if (!(number >= firstVersion && number <= lastVersion))
      throw new TableProblem(sentences.otherDocument, {
        line: this.#xml.line,
        name: (names[0] ?? '-').slice(0, 100),
      })
    if (this.#path.some((node) => node !== undefined)) throw new TableProblem(sentences.noStatement)
    this.#isDocument = true
    this.#onFormat?.(format)
    return camtDocument
  }

  #take(text: string): void {
    if (this.#path.at(-1)?.key === undefined) return
    this.#text += text
    const lengthMax = this.#limits.cellLengthMax
    if (this.#text.length > lengthMax)
      throw new TableProblem(sentences.longElement, {
        line: this.#xml.line,
        lengthMax,
      })
  }

  #close(): void {
    const node = this.#path.pop()
    const text = node?.key === undefined ? '' : this.#text.trim()
    if (node?.key !== undefined && text !== '')
      this.#statements.keep(node.key, text, this.#currency)
    this.#text = ''
    if (node?.ends !== undefined) this.#statements.end(node.ends)
  }
}

const firstVersion = 2
const lastVersion = 13

function malformed(why: string, line: number): TableProblem {
  return new TableProblem(sentences.malformed, { line, reason: why })
}
