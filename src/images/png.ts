import { crc32 } from 'node:zlib'
import type { Picture } from './picture.ts'
import { partsMax } from './picture.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
// What draws a still picture. Others hold texts, places, previews, further frames.
const drawing = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND'])

export function isPng(file: Buffer): boolean {
  return file.subarray(0, signature.length).equals(signature)
}

/** The picture without what does not draw it; undefined: the file is damaged. */
export function readPng(file: Buffer): Picture | undefined {
  const chunks: { type: string; bytes: Buffer }[] = []
  for (let at = signature.length; chunks.at(-1)?.type !== 'IEND'; ) {
    const chunk = chunkAt(file, at)
    if (chunk === undefined || chunks.length === partsMax) return undefined
    // A capital: no program can draw the picture without it.
    if (!drawing.has(chunk.type) && /^[A-Z]/.test(chunk.type)) return undefined
    chunks.push(chunk)
    at += chunk.bytes.length
  }
  const kept = chunks.filter(({ type }) => drawing.has(type))
  const [header] = chunks
  const count = (name: string) => kept.filter(({ type }) => type === name).length
  const isWhole = header?.type === 'IHDR' && header.bytes.length === 25
  if (!isWhole || count('IHDR') !== 1 || count('IDAT') === 0) return undefined
  return {
    mediaType: 'image/png',
    width: header.bytes.readUInt32BE(8),
    height: header.bytes.readUInt32BE(12),
    bytes: Buffer.concat([signature, ...kept.map(({ bytes }) => bytes)]),
  }
}

/** Length, type, data and checksum. */
function chunkAt(file: Buffer, at: number): { type: string; bytes: Buffer } | undefined {
  if (at + 12 > file.length) return undefined
  const end = at + 12 + file.readUInt32BE(at)
  if (end > file.length) return undefined
  if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return undefined
  return { type: file.toString('latin1', at + 4, at + 8), bytes: file.subarray(at, end) }
}
