import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../catalog/refusal.ts'
import { toStorable } from '../../db/storable-text.ts'
import type { Http } from '../../http/http.ts'

/** A file of a form that is still arriving. */
export interface StreamedFile {
  name: string
  /** Ends with an error if the file does not arrive to its end. */
  content: Readable
}

const limits = { files: 1, fields: 50, fieldNameSize: 100, fieldSize: 10_000, headerPairs: 50 }

/**
 * Makes a scope accept forms with one large file, which is its last field: what comes before it is
 * read first, and the file is left to the handler, which reads it as it arrives. Whatever the
 * handler leaves is read and dropped once it has answered, so that the browser shows the answer.
 */
export function addStreamParser(scope: Http): void {
  scope.removeContentTypeParser('multipart/form-data')
  scope.addContentTypeParser(
    'multipart/form-data',
    (request: FastifyRequest, payload: IncomingMessage) => readUntilFile(request, payload),
  )
  scope.addHook('onResponse', async ({ raw }) => drop(raw))
}

function drop(raw: IncomingMessage): void {
  raw.unpipe()
  raw.resume()
}

function readUntilFile(
  request: FastifyRequest,
  payload: IncomingMessage,
): Promise<Record<string, string | StreamedFile>> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {}
    let file: Readable | undefined
    const fail = () => {
      file?.destroy(broken())
      reject(broken())
    }
    try {
      const type = request.headers['content-type'] ?? ''
      const reader = new Busboy({ headers: { 'content-type': type }, limits })
      reader.on('field', (name, value) => {
        fields[name] = value
      })
      reader.on('file', (field, content, name) => {
        file = content
        // Heard of by whoever reads it; without a reader it would end the process.
        content.on('error', () => {})
        resolve({ ...fields, [field]: { name: toStorable(name), content } })
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

function broken(): Refusal {
  return new Refusal('malformed_request', 'The request could not be understood')
}
