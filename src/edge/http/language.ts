import type { FastifyRequest } from 'fastify'
import { type Language, readAcceptLanguage } from '#base/kit/language.ts'

/** The language of API answers: French if the caller prefers it to English, else English. */
export function languageOf(request: FastifyRequest): Language {
  const header = request.headers['accept-language']
  return readAcceptLanguage(header, { fallback: 'en', tie: 'fallback' })
}
