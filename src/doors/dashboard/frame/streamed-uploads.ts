import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Http } from '#edge/http/http.ts'
import { readParts } from './uploads.ts'

/** A file of a form that is still arriving. */
export interface StreamedFile {
  name: string
  /** Ends with an error if the file does not arrive to its end. */
  content: Readable
}

/**
 * Makes a scope accept forms with one large file, which is its last field: what comes before it is
 * read first, and the file is left to the handler, which reads it as it arrives. Whatever the
 * handler leaves is read and dropped once it has answered, so that the browser shows the answer.
 */
export function addStreamParser(scope: Http): void {
  scope.removeContentTypeParser('multipart/form-data')
  scope.addContentTypeParser(
    'multipart/form-data',
    (_request: FastifyRequest, payload: IncomingMessage) => readUntilFile(payload),
  )
  scope.addHook('onResponse', async ({ raw }) => drop(raw))
}

function drop(raw: IncomingMessage): void {
  raw.unpipe()
  raw.resume()
}

function readUntilFile(payload: IncomingMessage): Promise<Record<string, string | StreamedFile>> {
  return new Promise((resolve, reject) => {
    let file: Readable | undefined
    const fields = readParts(payload, Infinity, {
      onFile: (field, name, content) => {
        file = content
        // Heard of by whoever reads it; without a reader it would end the process.
        content.on('error', () => {})
        resolve({ ...fields, [field]: { name, content } })
      },
      onEnd: () => resolve(fields),
      fail: (problem) => {
        file?.destroy(problem)
        reject(problem)
      },
    })
  })
}
