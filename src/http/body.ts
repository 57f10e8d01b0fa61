import { TextDecoder } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, reason } from '../catalog/refusal.ts'
import { isStorable } from '../db/storable-text.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Its JSON spells no character out by number: all of them can be stored. */
    isBodyPlain: boolean
  }
}

/** Largest body that is read. */
export const bodyBytesMax = 65_536

/**
 * Reads JSON bodies strictly: UTF-8 only, no keys that reach for prototypes, no characters that a
 * database cannot store. An empty body counts as an empty object: what is missing is then listed
 * like any other mistake.
 */
export function addJsonParser(http: Http): void {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parse = http.getDefaultJsonParser('error', 'error')
  http.decorateRequest('isBodyPlain', false)
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
      request.isBodyPlain = text?.includes('\\u') === false
      if (text === undefined) done(new Refusal('malformed_request', 'The body is not valid UTF-8'))
      else if (text.trim() === '') done(null, {})
      else
        void parse(request, text, (problem, value) => {
          if (problem === null) done(null, value)
          else done(new Refusal('malformed_request', 'The body is not valid JSON'))
        })
    },
  )
  // A hook of each route runs after those of the server, so after the guard has had its say.
  http.addHook('onRoute', (route) => {
    route.preValidation = [route.preValidation ?? [], checkRequest].flat()
  })
}

function checkRequest(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (problem?: Error) => void,
): void {
  try {
    checkBody(request)
    // An address is made of plain characters unless it spells some out.
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
  if (request.routeOptions.schema?.body !== undefined) {
    if (request.body === undefined) request.body = {}
    // Before any rule is asked, and some rules are asked of bodies that break their schema.
    if (!isObject(request.body))
      throw new Refusal('validation_failed', 'The body must be a JSON object')
  }
  if (!request.isBodyPlain) checkCharacters(request.body)
}

function decode(decoder: TextDecoder, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair, in values or in keys. */
function checkCharacters(value: unknown): void {
  const bad = new Set<string>()
  // A list of our own rather than recursion: a body can be nested thousands of levels deep.
  const waiting: [field: string, value: unknown][] = [['', value]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [field, one] = next
    if (typeof one === 'string' && !isStorable(one)) bad.add(field)
    else if (typeof one === 'object' && one !== null && !Buffer.isBuffer(one))
      for (const [key, inner] of Object.entries(one))
        if (isStorable(key)) waiting.push([field === '' ? key : field, inner])
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
