import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { toStorable } from '#data/db/storable-text.ts'
import type { Http } from '#edge/http/http.ts'
import { tooManyFields } from '#edge/pages/form-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many bytes of its file a form is read for; undefined: the route takes no files. */
    uploadBytesMax?: number
  }
}

/** A file of a form. */
export interface UploadedFile {
  name: string
  /** Of a file that is too large its beginning, one byte longer than it may be. */
  bytes: Buffer
  /** The same a part at a time; fails once whoever sent it has left. */
  blocks(): AsyncGenerator<Buffer>
}

/** Refuses a file of which no more than its beginning was read. */
export function refuseTooLarge({ bytes }: UploadedFile, bytesMax: number, field: string): void {
  if (bytes.length > bytesMax)
    throw new Refusal(
      'validation_failed',
      reason('The file is larger than {bytesMax} bytes', { bytesMax }, field),
    )
}

/**
 * Makes a scope accept forms with a file, on routes that say so. The file is in memory as a whole:
 * the limits are small, and only people who are signed in get so far (`pages.upload`). What is
 * beyond its limit is read and dropped, so that the browser shows what is said of it.
 */
export function addUploadParser(scope: Http): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    (request: FastifyRequest, payload: IncomingMessage) => readForm(request, payload),
  )
}

function readForm(
  request: FastifyRequest,
  payload: IncomingMessage,
): Promise<Record<string, string | UploadedFile>> {
  return new Promise((resolve, reject) => {
    const most = request.routeOptions.config.uploadBytesMax
    if (most === undefined) throw new Refusal('unsupported_media_type', 'This form takes no files')
    const files: Record<string, UploadedFile> = {}
    const fields = readParts(payload, most + 1, {
      onFile: (field, name, content) => {
        const blocks: Buffer[] = []
        content.on('data', (block: Buffer) => void blocks.push(block))
        content.on('end', () => {
          const bytes = Buffer.concat(blocks)
          files[field] = { name, bytes, blocks: () => blocksOf(bytes, payload) }
        })
        content.on('error', () => reject(broken()))
      },
      onEnd: () => resolve({ ...fields, ...files }),
      fail: reject,
    })
  })
}

const blockBytes = 65_536

async function* blocksOf(bytes: Buffer, { socket }: IncomingMessage): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += blockBytes) {
    if (socket.destroyed) throw broken()
    yield bytes.subarray(at, at + blockBytes)
  }
}

const fieldsMax = 100
const limits = {
  files: 1,
  parts: fieldsMax,
  fieldNameSize: 100,
  fieldSize: 10_000,
  headerPairs: 50,
}

interface PartsReader {
  onFile(field: string, name: string, content: Readable): void
  onEnd(): void
  fail(problem: Refusal): void
}

/** Reads a form with a file as it arrives. The fields are those that have arrived. */
export function readParts(
  payload: IncomingMessage,
  fileSize: number,
  { onFile, onEnd, fail }: PartsReader,
): Record<string, string> {
  const fields: Record<string, string> = {}
  try {
    const headers = { 'content-type': payload.headers['content-type'] ?? '' }
    const reader = new Busboy({ headers, limits: { ...limits, fileSize } })
    reader.on('field', (name, value) => {
      fields[name] = value
    })
    reader.on('file', (field, content, name) => onFile(field, toStorable(name), content))
    reader.on('finish', onEnd)
    reader.on('error', () => fail(broken()))
    reader.on('partsLimit', () => {
      // Thousands of small ones cost more than their bytes: the rest is dropped unread.
      payload.unpipe(reader).resume()
      fail(tooManyFields(fieldsMax))
    })
    finished(payload, { writable: false }, (problem) => {
      if (problem) fail(broken())
    })
    payload.pipe(reader)
  } catch {
    fail(broken())
  }
  return fields
}

function broken(): Refusal {
  return new Refusal('malformed_request', 'The request could not be understood')
}
