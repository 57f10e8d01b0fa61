import { constants, deflateRawSync } from 'node:zlib'

/** A part of a stream, as it is and compressed; the same bytes for every reader. */
export interface StreamPart {
  plain: Buffer
  packed(): Buffer
}

// A higher level takes half as much time again, and saves a hundredth.
const options = { level: 3, finishFlush: constants.Z_SYNC_FLUSH }

/**
 * Compresses a part by itself, when somebody first asks for it. It ends at a whole byte and refers
 * to nothing before it, so that parts make up one stream in whatever order a reader gets them.
 */
export function streamPart(text: string): StreamPart {
  const plain = Buffer.from(text)
  let packed: Buffer | undefined
  return { plain, packed: () => (packed ??= deflateRawSync(plain, options)) }
}

/** What a compressed stream begins with (RFC 1952): no name, no time, unknown system. */
export const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
