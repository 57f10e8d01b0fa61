import type { FastifyRequest } from 'fastify'
import type { Language } from '../wire/error.ts'
import { readLanguage } from '../wire/error.ts'

/** The language a caller is answered in. */
export function languageOf(request: FastifyRequest): Language {
  return readLanguage(request.headers['accept-language'])
}
