import type { FastifyRequest } from 'fastify'
import { Refusal, reason } from '../../catalog/refusal.ts'
import type { Http } from '../../http/http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many bytes a form with a file may have; undefined: the route takes no files. */
    uploadBytesMax?: number
  }
}

/** A file of a form. */
export interface UploadedFile {
  name: string
  bytes: Buffer
}

// More than any route allows: the route's own limit is checked first.
const anyRouteMax = 20_000_000

/**
 * Makes a scope accept forms with files, on routes that say so. The body is in memory as a whole:
 * the limits are small, and only people who are signed in get so far (`pages.upload`).
 */
export function addUploadParser(scope: Http): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: anyRouteMax },
    async (request: FastifyRequest, body: Buffer) => readForm(request, body),
  )
}

async function readForm(request: FastifyRequest, body: Buffer) {
  const most = request.routeOptions.config.uploadBytesMax
  if (most === undefined) throw new Refusal('unsupported_media_type', 'This form takes no files')
  if (body.length > most)
    throw new Refusal(
      'body_too_large',
      reason('The body is larger than {bytes} bytes', { bytes: most }),
    )
  try {
    const type = request.headers['content-type'] ?? ''
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData()
    const fields: Record<string, string | UploadedFile> = {}
    for (const [name, value] of form)
      fields[name] =
        typeof value === 'string'
          ? value
          : { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) }
    return fields
  } catch {
    throw new Refusal('malformed_request', 'The request could not be understood')
  }
}
