import type { FastifyRequest } from 'fastify'
import type { Language } from '../kit/language.ts'
import { readAcceptLanguage } from '../kit/language.ts'

/** The language an API caller is answered in: French if it is preferred to English, else English. */
export function languageOf(request: FastifyRequest): Language {
  const header = request.headers['accept-language']
  return readAcceptLanguage(header, { fallback: 'en', tie: 'fallback' })
}
