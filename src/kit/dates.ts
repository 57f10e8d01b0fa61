// Dakar, Bamako and Abidjan keep GMT all year; it is named, since Douala is an hour ahead.
const formats = { fr: formatOf('fr'), en: formatOf('en-GB') }

/** The day and the minute, in words: 16 janvier 2026 à 10:00 GMT. */
export function formatDateTime(date: Date, language: 'fr' | 'en'): string {
  return `${formats[language].format(date)} GMT`
}

function formatOf(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
}
