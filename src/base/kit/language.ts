/** The languages of answers, pages and mails. */
export const languages = ['fr', 'en'] as const

export type Language = (typeof languages)[number]

/** Whose days, months and numbers are written. */
export const locales: Record<Language, string> = { fr: 'fr-FR', en: 'en-GB' }

/** The language that a page offers beside its own. */
export const otherLanguage: Record<Language, Language> = { fr: 'en', en: 'fr' }

// Node accepts no more header bytes than this in one request.
const lengthMax = 16_384

interface Preference {
  /** Without a header, or when it names neither language. */
  fallback: Language
  /** Among two languages of equal quality. */
  tie: 'fallback' | 'first'
}

/** The language that an Accept-Language header gives the higher quality (RFC 9110, 12.5.4). */
export function readAcceptLanguage(
  header: string | undefined,
  { fallback, tie }: Preference,
): Language {
  if (header === undefined) return fallback
  const best = { fr: 0, en: 0 }
  let first: Language = fallback
  for (const entry of header.slice(0, lengthMax).split(',')) {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const [language] = range.split('-')
    if (language !== 'fr' && language !== 'en') continue
    const quality = readQuality(parameters)
    // The first language to reach the highest quality so far wins a tie.
    if (quality > Math.max(best.fr, best.en)) first = language
    best[language] = Math.max(best[language], quality)
  }
  if (best.fr === best.en) return tie === 'first' ? first : fallback
  return best.fr > best.en ? 'fr' : 'en'
}

/** 1 when it is left out, 0 when it is not a number from 0 to 1. */
function readQuality(parameters: string[]): number {
  const quality = parameters.find((part) => part.startsWith('q='))?.slice(2) ?? '1'
  return /^(0(\.\d*)?|1(\.0*)?)$/.test(quality) ? Number(quality) : 0
}
