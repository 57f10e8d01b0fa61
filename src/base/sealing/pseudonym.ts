import { createHmac } from 'node:crypto'
import { lastingKeyFor, type SecretKey } from './seal.ts'

/** Replaces the number of a person: the same number always by the same text. */
export type PseudonymOf = (number: string) => string

/** What every pseudonym begins with. */
export const pseudonymMark = 'anon-'

// No digits: no reader of numbers takes a pseudonym, or a part of it, for a number.
const letters = 'abcdefghijklmnop'
const lettersMax = 16
const pseudonym = new RegExp(`^${pseudonymMark}[${letters}]{${lettersMax}}$`)

/** The purpose of the key of pseudonyms, which stays the same when SECRET_KEY is changed. */
export const pseudonymPurpose = 'pseudonyms of numbers'

/**
 * Opens pseudonyms with the installation's secret key. Without the key nobody finds a number by
 * trying all numbers. A pseudonym stays as it is, and so does an empty text.
 */
export function openPseudonyms(secretKey: SecretKey): PseudonymOf {
  const key = lastingKeyFor(secretKey, pseudonymPurpose)
  return (number) => {
    if (number === '' || isPseudonym(number)) return number
    const hash = createHmac('sha256', key).update(number).digest('hex')
    return pseudonymMark + hash.slice(0, lettersMax).replaceAll(/./g, letterOf)
  }
}

function letterOf(digit: string): string {
  return letters[Number.parseInt(digit, 16)] ?? ''
}

/** Whether a text stands where the number of a person stood. */
export function isPseudonym(text: string): boolean {
  return pseudonym.test(text)
}
