import type { FastifyRequest } from 'fastify'
import type { Http } from '../http/http.ts'

// Our forms have at most three short fields.
const formBytesMax = 4096

/** Makes a scope accept form bodies only. */
export function addFormParser(scope: Http): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded(;\s*charset="?utf-?8"?)?\s*$/i,
    { parseAs: 'string', bodyLimit: formBytesMax },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
}

/** A field of the submitted form; empty when it is missing. */
export function formField(request: FastifyRequest, name: string): string {
  const { body } = request
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return ''
  const value = (body as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}
