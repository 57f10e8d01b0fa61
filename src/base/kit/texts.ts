import type { Language } from './language.ts'

/**
 * The texts of a screen, a mail or a file in both languages, in the file that shows them:
 * `const words = inBoth({ fr: {…}, en: {…} })`, then `words[language].title`.
 */
export function inBoth<T extends object>(texts: { fr: T; en: T }): Record<Language, T> {
  return texts
}

/** The form of a noun for a count, with an s where none is given: in French one of nothing too. */
export const plural = {
  fr: (count: number, one: string, many = `${one}s`): string => (count < 2 ? one : many),
  en: (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many),
}

/**
 * French typography: typographic apostrophes, and no-break spaces before : ; ! ? and inside « ».
 * Applies to the template only, never to its values.
 */
export function fr(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings
    .map((text, index) => (index === 0 ? '' : String(values[index - 1])) + setFrench(text))
    .join('')
}

/** English typography: typographic apostrophes in the template, not in its values. */
export function en(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return strings
    .map((text, index) => (index === 0 ? '' : String(values[index - 1])) + setCommon(text))
    .join('')
}

/** French typography of a text. */
export function setFrench(text: string): string {
  return setCommon(text)
    .replaceAll(/ (?=[;!?])/g, '\u202f')
    .replaceAll(/ (?=[:»])|(?<=«) /g, '\u00a0')
}

/** Of both languages: curls apostrophes, and joins what is written on several lines of source. */
export function setCommon(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/\s*\n\s*/g, ' ')
}
