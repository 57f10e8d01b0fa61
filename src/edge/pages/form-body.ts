import type { FastifyRequest } from 'fastify'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Http } from '#edge/http/http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many fields a form of this route may have; undefined: as many as any form. */
    formFieldsMax?: number
  }
}

/** What a form may have at most; a route may allow less (`bodyLimit`, `formFieldsMax`). */
interface FormLimits {
  bytesMax: number
  fieldsMax: number
}

/**
 * Makes a scope accept the bodies of forms only. Fields are counted before anything is made of
 * them: thousands of small ones cost more than their bytes.
 */
export function addFormParser(scope: Http, { bytesMax, fieldsMax }: FormLimits): void {
  scope.removeAllContentTypeParsers()
  // Said of each route, so that a refusal can name it.
  scope.addHook('onRoute', (route) => {
    route.bodyLimit ??= bytesMax
  })
  scope.addContentTypeParser(
    /^application\/x-www-form-urlencoded(;\s*charset="?utf-?8"?)?\s*$/i,
    { parseAs: 'string' },
    (request, text, done) => {
      const most = request.routeOptions.config.formFieldsMax ?? fieldsMax
      if (hasMoreFields(String(text), most)) done(tooManyFields(most))
      else done(null, Object.fromEntries(new URLSearchParams(String(text))))
    },
  )
}

function hasMoreFields(text: string, most: number): boolean {
  let at = -1
  for (let count = 1; count <= most; count += 1) {
    at = text.indexOf('&', at + 1)
    if (at === -1) return false
  }
  return true
}

export function tooManyFields(most: number): Refusal {
  return new Refusal('body_too_large', reason('The form has more than {most} fields', { most }))
}

/** What a form is refused for that nobody can have typed; any other problem as it is. */
export function asFormRefusal(thrown: unknown, { routeOptions }: FastifyRequest): unknown {
  const { code, statusCode = 500 } = thrown as { code?: string; statusCode?: number }
  if (code === undefined || !code.startsWith('FST_') || statusCode >= 500) return thrown
  if (statusCode === 415)
    return new Refusal('unsupported_media_type', 'The request could not be understood')
  if (statusCode !== 413)
    return new Refusal('malformed_request', 'The request could not be understood')
  const bytes = routeOptions.bodyLimit
  return new Refusal('body_too_large', reason('The form is larger than {bytes} bytes', { bytes }))
}

/** A field of the submitted form; empty when it is missing. */
export function formField(request: FastifyRequest, name: string): string {
  const { body } = request
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return ''
  const value = (body as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}
