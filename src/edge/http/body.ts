import { TextDecoder } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { isStorable } from '#data/db/storable-text.ts'
import { type BodySchema, takeLeniently } from '#edge/wire/lenient.ts'
import type { Http } from './http.ts'
import { isTooDeep, levelsMax } from './nesting.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON has no \\u escapes: as it is valid UTF-8, all of its texts can be stored. */
    isBodyUnescaped: boolean
  }
}

export const bodyBytesMax = 65_536

/**
 * Parses JSON bodies strictly: UTF-8 only, not nested deeply, no keys that would change prototypes,
 * no characters that PostgreSQL cannot store. An empty body counts as an empty object, so that
 * validation lists the missing fields.
 */
export function addJsonParser(http: Http): void {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parse = http.getDefaultJsonParser('error', 'error')
  http.decorateRequest('isBodyUnescaped', false)
  http.removeAllContentTypeParsers()
  http.addContentTypeParser(
    /^application\/json(;\s*charset="?utf-?8"?)?\s*$/i,
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      if (request.headers['content-encoding'] !== undefined) {
        done(new Refusal('unsupported_media_type', 'The body must not be compressed'))
        return
      }
      const text = decode(decoder, bytes as Buffer)
      request.isBodyUnescaped = text?.includes('\\u') === false
      if (text === undefined) done(new Refusal('malformed_request', 'The body is not valid UTF-8'))
      else if (text.trim() === '') done(null, {})
      else if (isTooDeep(text)) done(tooDeep())
      else
        void parse(request, text, (problem, value) => {
          if (problem === null) done(null, value)
          else done(new Refusal('malformed_request', 'The body is not valid JSON'))
        })
    },
  )
  // A route's own hook runs after the server's hooks, hence after the guard's checks.
  http.addHook('onRoute', (route) => {
    route.preValidation = [route.preValidation ?? [], checkRequest].flat()
  })
}

function tooDeep(): Refusal {
  return new Refusal(
    'malformed_request',
    reason('The body is nested deeper than {levels} levels', { levels: levelsMax }),
  )
}

function checkRequest(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (problem?: Error) => void,
): void {
  try {
    checkBody(request)
    // Only percent-encoding can bring other characters than printable ASCII into a URL.
    if (request.url.includes('%')) {
      checkCharacters(request.params)
      checkCharacters(request.query)
    }
    done()
  } catch (problem) {
    done(problem as Error)
  }
}

function checkBody(request: FastifyRequest): void {
  const schema = request.routeOptions.schema?.body as BodySchema | undefined
  if (schema !== undefined) {
    const isOptional = schema.required === undefined
    if (request.body === undefined || (request.body === null && isOptional)) request.body = {}
    // Checked here because some routes check rules even on bodies that break their schema.
    if (!isObject(request.body))
      throw new Refusal('validation_failed', 'The body must be a JSON object')
  }
  if (!request.isBodyUnescaped) checkCharacters(request.body)
  if (schema !== undefined)
    takeLeniently(request.body as Record<string, unknown>, schema, request.method === 'PATCH')
}

function decode(decoder: TextDecoder, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Refuses texts that PostgreSQL cannot store, in values and in keys; each field is named once. */
function checkCharacters(value: unknown): void {
  const bad = new Set<string>()
  // A stack rather than recursion: a body can be nested thousands of levels deep.
  const stack: [field: string, value: unknown][] = [['', value]]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [field, one] = next
    if (typeof one === 'string' && !isStorable(one)) bad.add(field)
    else if (typeof one === 'object' && one !== null && !Buffer.isBuffer(one))
      for (const [key, inner] of Object.entries(one))
        if (isStorable(key)) stack.push([field === '' ? key : field, inner])
        else bad.add(field)
  }
  if (bad.size > 0)
    throw new Refusal(
      'validation_failed',
      ...[...bad].map((field) =>
        field === ''
          ? reason('The request must not contain control or broken characters')
          : reason('{field} must not contain control or broken characters', {}, field),
      ),
    )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
