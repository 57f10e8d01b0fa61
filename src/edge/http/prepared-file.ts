import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from './encoding.ts'

/** A file in memory, compressed once: an answer copies no bytes, however large the file is. */
export interface PreparedFile {
  type: string
  etag: string
  plain: Buffer
  gzip: Buffer
  br: Buffer
}

// A higher quality takes seconds for the script of the reference, and saves a tenth.
const usualQuality = 5

/** Compresses a file outside the main thread. */
export async function prepareFile(
  type: string,
  plain: Buffer,
  quality = usualQuality,
): Promise<PreparedFile> {
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, brotliOptions),
  ])
  // Weak, because the same tag stands for all encodings.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type, etag, plain, gzip: zipped, br }
}

/** Sends a prepared file as the client accepts it, or 304 when the client has it. */
export function sendPrepared(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PreparedFile,
  cacheControl = 'no-cache',
): FastifyReply {
  reply.headers({ ETag: file.etag, Vary: 'Accept-Encoding', 'Cache-Control': cacheControl })
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send()
  reply.header('Content-Type', file.type)
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (encoding === undefined) return reply.send(file.plain)
  return reply.header('Content-Encoding', encoding).send(file[encoding])
}

/** Whether an If-None-Match header names this tag; W/ does not matter (RFC 9110, 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = new Set((header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, '')))
  return tags.has('*') || tags.has(etag.slice(2))
}
