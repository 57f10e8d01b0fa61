import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { Refusal, reason } from '../../catalog/refusal.ts'
import { toStorable } from '../../db/storable-text.ts'
import type { Http } from '../../http/http.ts'

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
}

/** Refuses a file of which no more than its beginning was read. */
export function refuseTooLarge({ bytes }: UploadedFile, bytesMax: number, field: string): void {
  if (bytes.length > bytesMax)
    throw new Refusal(
      'validation_failed',
      reason('The file is larger than {bytesMax} bytes', { bytesMax }, field),
    )
}

const limits = { files: 1, fields: 1000, fieldNameSize: 100, fieldSize: 10_000, headerPairs: 50 }

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
    const fields: Record<string, string | UploadedFile> = {}
    const fail = () =>
      reject(new Refusal('malformed_request', 'The request could not be understood'))
    try {
      const type = request.headers['content-type'] ?? ''
      const headers = { 'content-type': type }
      const reader = new Busboy({ headers, limits: { ...limits, fileSize: most + 1 } })
      reader.on('field', (name, value) => {
        fields[name] = value
      })
      reader.on('file', (field, content, name) => {
        const blocks: Buffer[] = []
        content.on('data', (block: Buffer) => void blocks.push(block))
        content.on('end', () => {
          fields[field] = { name: toStorable(name), bytes: Buffer.concat(blocks) }
        })
        content.on('error', fail)
      })
      reader.on('finish', () => resolve(fields))
      reader.on('error', fail)
      finished(payload, { writable: false }, (problem) => {
        if (problem) fail()
      })
      payload.pipe(reader)
    } catch {
      fail()
    }
  })
}
