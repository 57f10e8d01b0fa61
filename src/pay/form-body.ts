import type { FastifyRequest } from 'fastify'
import type { Http } from '../http/http.ts'

// A form of ours has three short fields.
const formBytesMax = 4096

/** Lets this scope read forms, and nothing else. */
export function addFormParser(scope: Http): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded(;\s*charset="?utf-?8"?)?\s*$/i,
    { parseAs: 'string', bodyLimit: formBytesMax },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
}

/** A field of the form that was sent; empty when there is none. */
export function formField(request: FastifyRequest, name: string): string {
  const { body } = request
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return ''
  const value = (body as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}
