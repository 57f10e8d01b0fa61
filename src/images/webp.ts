import type { Picture } from './picture.ts'
import { partsMax } from './picture.ts'

// Flags of the extended header: colour profile, camera data, XMP; and animation.
const [undrawnFlags, animationFlag] = [0x2c, 0x02]

export function isWebp(file: Buffer): boolean {
  return file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 15) === 'WEBPVP8'
}

/** The picture without what does not draw it; undefined: the file is damaged. */
export function readWebp(file: Buffer): Picture | 'animated' | undefined {
  const chunks = chunksOf(file)
  if (chunks === undefined) return undefined
  const extended = chunks.find(({ type }) => type === 'VP8X')?.bytes
  if (extended !== undefined && extended.length !== 18) return undefined
  if (((extended?.[8] ?? 0) & animationFlag) !== 0) return 'animated'
  const images = chunks.filter(({ type }) => type === 'VP8 ' || type === 'VP8L')
  const [image, another] = images
  const size = image === undefined ? undefined : sizeOf(image)
  if (size === undefined || another !== undefined) return undefined
  const isOther =
    extended !== undefined &&
    (extended.readUIntLE(12, 3) + 1 !== size.width ||
      extended.readUIntLE(15, 3) + 1 !== size.height)
  if (isOther) return undefined
  const kept = chunks
    .filter(({ type }) => ['VP8X', 'ALPH', 'VP8 ', 'VP8L'].includes(type))
    .map(({ type, bytes }) => (type === 'VP8X' ? withoutFlags(bytes) : bytes))
  const body = Buffer.concat([Buffer.from('WEBP'), ...kept])
  const head = Buffer.from('RIFF\0\0\0\0')
  head.writeUInt32LE(body.length, 4)
  return { mediaType: 'image/webp', ...size, bytes: Buffer.concat([head, body]) }
}

interface Chunk {
  type: string
  /** With its head of eight bytes, and filled up to an even length. */
  bytes: Buffer
}

function chunksOf(file: Buffer): Chunk[] | undefined {
  const end = 8 + file.readUInt32LE(4)
  if (end > file.length) return undefined
  const chunks: Chunk[] = []
  for (let at = 12; at < end; ) {
    if (at + 8 > end || chunks.length === partsMax) return undefined
    const length = file.readUInt32LE(at + 4)
    const next = at + 8 + length + (length % 2)
    if (next > end) return undefined
    chunks.push({ type: file.toString('latin1', at, at + 4), bytes: file.subarray(at, next) })
    at = next
  }
  return chunks
}

function sizeOf({ type, bytes }: Chunk): { width: number; height: number } | undefined {
  const data = bytes.subarray(8)
  if (data.length < 10) return undefined
  if (type === 'VP8L') {
    const bits = data.readUInt32LE(1)
    if (data[0] !== 0x2f) return undefined
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const isKeyFrame = ((data[0] ?? 1) & 1) === 0
  if (!isKeyFrame || !data.subarray(3, 6).equals(Buffer.from('9d012a', 'hex'))) return undefined
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}

function withoutFlags(extended: Buffer): Buffer {
  const copy = Buffer.from(extended)
  copy[8] = (copy[8] ?? 0) & ~undrawnFlags
  return copy
}
