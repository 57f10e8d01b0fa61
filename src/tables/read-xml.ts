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

/** Takes the bytes of an XML text block by block. */
export interface XmlReader {
  take(block: Buffer): void
  finish(): void
}

/** Opens a reader that refuses document types, and with them every entity but XML's own five. */
export function openXmlReader({ open, text, close }: XmlHandlers): XmlReader {
  const parser = new SaxesParser({ position: false })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let depth = 0
  let attributes = 0
  parser.on('doctype', () => {
    throw malformed('it has a document type')
  })
  parser.on('error', (problem) => {
    throw malformed(problem.message)
  })
  parser.on('opentagstart', () => {
    depth += 1
    attributes = 0
    if (depth > depthMax) throw malformed(`it is nested deeper than ${depthMax} levels`)
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > attributesMax) throw malformed(`a tag has over ${attributesMax} attributes`)
  })
  parser.on('opentag', (tag) => open(localName(tag.name), tag.attributes as Attributes))
  if (text !== undefined) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.on('closetag', ({ name }) => {
    depth -= 1
    close?.(localName(name))
  })
  const decode = (block?: Buffer) => {
    try {
      return block === undefined ? decoder.decode() : decoder.decode(block, { stream: true })
    } catch {
      throw malformed('it is not UTF-8')
    }
  }
  return {
    take: (block) => void parser.write(decode(block)),
    finish: () => void parser.write(decode()).close(),
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
