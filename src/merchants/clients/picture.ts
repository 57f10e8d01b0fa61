/** What a picture file says of itself. */
export interface Picture {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  width: number
  height: number
}

/** Why a file is not taken as a picture. */
export type NoPicture = 'unknown' | 'drawing' | 'damaged'

// Shorter ones have no pixels.
const bytesMin = 30

/** Reads type and size from a picture's own first bytes, whatever its name says. */
export function readPicture(file: Buffer): Picture | NoPicture {
  const found = file.length < bytesMin ? undefined : formOf(file)
  // An SVG is a program for the browser: it can hold scripts and fetch from elsewhere.
  if (found === undefined)
    return /<svg[\s>]/i.test(file.toString('latin1', 0, 1024)) ? 'drawing' : 'unknown'
  const [mediaType, size] = found
  return size !== undefined && size.width > 0 && size.height > 0
    ? { mediaType, ...size }
    : 'damaged'
}

type Size = Pick<Picture, 'width' | 'height'>

function formOf(file: Buffer): [Picture['mediaType'], Size | undefined] | undefined {
  const latin = (from: number, to: number) => file.toString('latin1', from, to)
  if (latin(0, 8) === '\x89PNG\r\n\x1a\n')
    return ['image/png', latin(12, 16) === 'IHDR' ? sizeOfPng(file) : undefined]
  if (latin(0, 3) === '\xff\xd8\xff') return ['image/jpeg', sizeOfJpeg(file)]
  if (latin(0, 4) === 'RIFF' && latin(8, 12) === 'WEBP')
    return ['image/webp', sizeOfWebp(file, latin(12, 16))]
  return undefined
}

function sizeOfPng(file: Buffer): Size {
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
}

// Far more than any camera writes; fill bytes and empty segments would make millions.
const segmentsMax = 10_000

// The markers c0 to cf begin a frame, except for those of tables and extensions.
const noFrames = new Set([0xc4, 0xc8, 0xcc])

/** The size that the first frame tells; before it are segments with their lengths. */
function sizeOfJpeg(file: Buffer): Size | undefined {
  let at = 2
  for (let count = 0; count < segmentsMax; count += 1) {
    if (at + 9 > file.length || file[at] !== 0xff) return undefined
    const marker = file[at + 1] ?? 0
    if (marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker))
      return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) }
    // Any number of 0xff may stand before the one of the marker.
    at += marker === 0xff ? 1 : 2 + file.readUInt16BE(at + 2)
  }
  return undefined
}

function sizeOfWebp(file: Buffer, kind: string): Size | undefined {
  if (kind === 'VP8X')
    return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8L') {
    const bits = file.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8 ') return undefined
  return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
}
