import type { Language } from './language.ts'

const months: Record<Language, string[]> = {
  fr: [
    'janvier',
    'février',
    'mars',
    'avril',
    'mai',
    'juin',
    'juillet',
    'août',
    'septembre',
    'octobre',
    'novembre',
    'décembre',
  ],
  en: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
}

/**
 * A time for people: 15 novembre 2026 à 05:27 GMT. Dakar, Bamako and Abidjan use GMT all year; the
 * zone is written because Douala is an hour ahead.
 */
export function formatDateTime(date: Date, language: Language): string {
  const number = date.getUTCDate()
  const day = language === 'fr' && number === 1 ? '1er' : number
  const month = months[language][date.getUTCMonth()]
  const time = date.toISOString().slice(11, 16)
  return `${day} ${month} ${date.getUTCFullYear()} ${language === 'fr' ? 'à' : 'at'} ${time} GMT`
}
