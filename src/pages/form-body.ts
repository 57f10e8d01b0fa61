import type { FastifyRequest } from 'fastify'
import type { Http } from '../http/http.ts'

/** Makes a scope accept the bodies of forms only, up to a size. */
export function addFormParser(scope: Http, bytesMax: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded(;\s*charset="?utf-?8"?)?\s*$/i,
    { parseAs: 'string', bodyLimit: bytesMax },
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
