import { crc32, deflateSync } from 'node:zlib'

/** A chunk of a PNG file. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of one colour; `between` are further chunks. A huge size is only said, not drawn. */
export function pngOf(width: number, height: number, ...between: Buffer[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a channel, red, green and blue.
  header.set([8, 2], 8)
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.alloc(3 * Math.min(width, 4096), '\x9c\x27\xb0', 'latin1'),
  ])
  const rows = Buffer.concat(Array.from({ length: Math.min(height, 64) }, () => row))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...between,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** The segments of a JPEG file; the pixels in it are none. */
export function jpegOf(width: number, height: number, ...between: [number, string][]): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    ...between.map(([marker, text]) => segment(marker, Buffer.from(text, 'latin1'))),
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc0, frame),
    segment(0xc4, Buffer.alloc(20)),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // A stuffed 0, a restart, and 0xff before a marker.
    Buffer.from('12ff0034ffd056ffff', 'hex'),
    Buffer.from('ffd9', 'hex'),
  ])
}

// Of one pixel, as browsers are asked whether they can draw WebP.
const webp = (text: string) => Buffer.from(text, 'base64')
export const webps = {
  lossy: webp('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
  lossless: webp('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='),
  alpha: webp(
    'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAA' +
      'AP4AAA3AAP7mtQAAAA==',
  ),
}

export const scriptedSvg =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" onload="__xss=1">' +
  '<script>__xss=1</script></svg>'
