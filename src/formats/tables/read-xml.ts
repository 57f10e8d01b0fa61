import { SaxesParser } from 'saxes'
import { TableProblem } from './table.ts'

export type Attributes = Record<string, string>

/** What happens while an XML text is read; names come without their prefix. */
export interface XmlHandlers {
  open(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

// No part of a workbook comes near these.
const depthMax = 64
const attributesMax = 64

// Of a statement of millions of payments. Tags that tell nothing cost as much as others.
const usualTagsMax = 100_000_000

// Between two tags. Without it, one text without an end would be kept in memory as a whole.
const gapMax = 1_000_000

/** Takes the bytes of an XML text block by block. */
export interface XmlReader {
  take(block: Buffer): void
  finish(): void
}

/** Takes an XML text piece by piece. */
export interface XmlTextReader {
  /** The line that is read, for sentences. */
  readonly line: number
  take(text: string): void
  finish(): void
}

/** Opens a reader that refuses document types, and with them every entity but XML's own five. */
export function openXmlTextReader(
  { open, text, close }: XmlHandlers,
  malformed: (reason: string, line: number) => TableProblem,
  tagsMax = usualTagsMax,
): XmlTextReader {
  const parser = new SaxesParser({ position: false })
  const refuse = (why: string) => malformed(why, parser.line)
  let depth = 0
  let tags = 0
  let attributes = 0
  let gap = 0
  parser.on('doctype', () => {
    throw refuse('it has a document type')
  })
  parser.on('error', (problem) => {
    throw refuse(problem.message)
  })
  parser.on('opentagstart', () => {
    depth += 1
    tags += 1
    attributes = 0
    gap = 0
    if (depth > depthMax) throw refuse(`it is nested deeper than ${depthMax} levels`)
    if (tags > tagsMax) throw refuse(`it has over ${tagsMax} tags`)
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > attributesMax) throw refuse(`a tag has over ${attributesMax} attributes`)
  })
  parser.on('opentag', (tag) => open(localName(tag.name), tag.attributes as Attributes))
  if (text !== undefined) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.on('closetag', ({ name }) => {
    depth -= 1
    gap = 0
    close?.(localName(name))
  })
  return {
    get line() {
      return parser.line
    },
    take: (piece) => {
      gap += piece.length
      parser.write(piece)
      if (gap > gapMax + piece.length) throw refuse(`a text is longer than ${gapMax} characters`)
    },
    finish: () => void parser.close(),
  }
}

/** Opens a reader of a part of a workbook. */
export function openXmlReader(handlers: XmlHandlers): XmlReader {
  const parser = openXmlTextReader(handlers, malformed)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (block?: Buffer) => {
    try {
      return block === undefined ? decoder.decode() : decoder.decode(block, { stream: true })
    } catch {
      throw malformed('it is not UTF-8')
    }
  }
  return {
    take: (block) => parser.take(decode(block)),
    finish: () => {
      parser.take(decode())
      parser.finish()
    },
  }
}

/** Reads a whole part. */
export async function readXml(blocks: AsyncIterable<Buffer>, handlers: XmlHandlers) {
  const reader = openXmlReader(handlers)
  for await (const block of blocks) reader.take(block)
  reader.finish()
}

function malformed(reason: string): TableProblem {
  return new TableProblem('A part of the workbook cannot be read: {reason}', { reason })
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(colon + 1)
}

/** An `xs:boolean`, in every way that it may be written; undefined: it is none. */
export function readXmlBoolean(text: string): boolean | undefined {
  const word = text.trim()
  if (word === 'true' || word === '1') return true
  return word === 'false' || word === '0' ? false : undefined
}
