import type { Picture } from './picture.ts'
import { partsMax } from './picture.ts'

// Frames, tables, restarts, and Adobe's note on how colours are stored. Others hold texts, places,
// previews.
const [frameFirst, frameLast, huffman, extension, arithmetic] = [0xc0, 0xcf, 0xc4, 0xc8, 0xcc]
const [scan, quantisation, restart, adobe, end] = [0xda, 0xdb, 0xdd, 0xee, 0xd9]
const drawing = new Set([huffman, arithmetic, scan, quantisation, restart, adobe])

export function isJpeg(file: Buffer): boolean {
  return file.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))
}

/** The picture without what does not draw it; undefined: the file is damaged. */
export function readJpeg(file: Buffer): Picture | undefined {
  const kept = [file.subarray(0, 2)]
  let frame: Buffer | undefined
  let hasScan = false
  for (let at = 2, count = 0; ; count += 1) {
    const segment = segmentAt(file, at)
    if (segment === undefined || count === partsMax) return undefined
    const { marker, bytes } = segment
    at = segment.end
    if (isFrame(marker)) {
      if (frame !== undefined || bytes.length < 9) return undefined
      frame = bytes
    }
    if (isFrame(marker) || drawing.has(marker)) kept.push(bytes)
    if (marker === scan) {
      const dataEnd = endOfScan(file, at)
      kept.push(file.subarray(at, dataEnd))
      at = dataEnd
      hasScan = true
    }
    if (marker !== end) continue
    if (frame === undefined || !hasScan) return undefined
    return {
      mediaType: 'image/jpeg',
      width: frame.readUInt16BE(7),
      height: frame.readUInt16BE(5),
      bytes: Buffer.concat([...kept, bytes]),
    }
  }
}

function isFrame(marker: number): boolean {
  const isOther = marker === huffman || marker === extension || marker === arithmetic
  return marker >= frameFirst && marker <= frameLast && !isOther
}

/** A marker with what follows it: its length of two bytes, and so many bytes. */
function segmentAt(file: Buffer, start: number) {
  let at = start
  if (file[at] !== 0xff) return undefined
  // Any number of 0xff may stand before the one of the marker.
  while (file[at + 1] === 0xff) at += 1
  const marker = file[at + 1] ?? 0
  if (marker === end) return { marker, bytes: file.subarray(at, at + 2), end: at + 2 }
  const isWithData = marker >= 0xc0 && (marker < 0xd0 || marker > 0xd8)
  if (!isWithData || at + 4 > file.length) return undefined
  const length = file.readUInt16BE(at + 2)
  const segmentEnd = at + 2 + length
  if (length < 2 || segmentEnd > file.length) return undefined
  return { marker, bytes: file.subarray(at, segmentEnd), end: segmentEnd }
}

/** Where the data of a scan end: at the first marker that is neither a stuffed 0 nor a restart. */
function endOfScan(file: Buffer, start: number): number {
  for (let at = file.indexOf(0xff, start); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)
    if (!isData) return at
  }
  return file.length
}
