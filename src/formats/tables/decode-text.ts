import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { TableProblem } from './table.ts'

const marks: [bytes: string, encoding: string][] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]

/**
 * Turns bytes into text. A mark at the beginning names the encoding; without one, zero bytes mean
 * UTF-16, and else the first part that is not plain ASCII decides between UTF-8 and the encoding of
 * Western Windows (windows-1252, which Latin-1 is part of).
 */
export async function* decodeText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  // The bytes of what may be a UTF-8 character, the first of the file and not complete yet.
  let open: Buffer = Buffer.alloc(0)
  let lines = 1
  let isFirst = true
  for await (const chunk of bytes) {
    let part = open.length === 0 ? chunk : Buffer.concat([open, chunk])
    open = Buffer.alloc(0)
    if (isFirst) decoder = markedDecoder(part)
    isFirst = false
    if (decoder === undefined && !isAscii(part)) {
      const whole = part.subarray(0, openCharacterAt(part))
      if (isAscii(whole)) {
        open = part.subarray(whole.length)
        part = whole
      } else decoder = decoderOf(isUtf8(whole) ? 'utf-8' : 'windows-1252')
    }
    // ASCII is the same text in both encodings.
    const text = decoder === undefined ? part.toString('latin1') : decode(decoder, part, lines)
    lines += countLines(text)
    yield text
  }
  decoder ??= decoderOf('windows-1252')
  yield decode(decoder, open, lines, true)
}

function markedDecoder(part: Buffer): TextDecoder | undefined {
  const start = part.toString('hex', 0, 3)
  const marked = marks.find(([mark]) => start.startsWith(mark))
  return decoderOf(marked?.[1] ?? unmarkedUtf16(part))
}

/** UTF-16 by where the zero bytes of its Latin letters are; undefined: no UTF-16. */
function unmarkedUtf16(part: Buffer): string | undefined {
  const sample = part.subarray(0, 512)
  const zeros = [0, 0]
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const many = sample.length / 4
  if (odd > many && even === 0) return 'utf-16le'
  return even > many && odd === 0 ? 'utf-16be' : undefined
}

function decoderOf(encoding: string): TextDecoder
function decoderOf(encoding: string | undefined): TextDecoder | undefined
function decoderOf(encoding: string | undefined): TextDecoder | undefined {
  return encoding === undefined ? undefined : new TextDecoder(encoding, { fatal: true })
}

function isUtf8(part: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(part)
    return true
  } catch {
    return false
  }
}

/** Where a UTF-8 character begins that the part ends within; its length: none. */
function openCharacterAt(part: Buffer): number {
  for (let back = 1; back <= Math.min(3, part.length); back += 1) {
    const byte = part[part.length - back] ?? 0
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    if (length > back) return part.length - back
    if (byte < 0x80 || byte >= 0xc0) break
  }
  return part.length
}

function decode(decoder: TextDecoder, part: Buffer, lines: number, isEnd = false): string {
  try {
    return decoder.decode(part, { stream: !isEnd })
  } catch {
    const text = decodeLossy(decoder.encoding, part)
    throw new TableProblem('Line {line}: the text is not valid {encoding}', {
      line: lines + countLines(text.slice(0, Math.max(0, text.indexOf('\ufffd')))),
      encoding: decoder.encoding.toUpperCase(),
    })
  }
}

function decodeLossy(encoding: string, part: Buffer): string {
  return new TextDecoder(encoding).decode(part)
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
