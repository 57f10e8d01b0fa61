import { countries } from './countries.ts'
import {
  digitsOf,
  numberingOf,
  toNational,
  toNineDigits,
  withoutDialCode,
  withoutPunctuation,
} from './phone-forms.ts'

export const phoneProblems = ['phone_missing', 'phone', 'phone_country', 'country'] as const

export type PhoneProblem = (typeof phoneProblems)[number]

export type PhoneReading =
  | { kind: 'phone'; phone: string; country: string }
  | { kind: 'problem'; problem: PhoneProblem }

/**
 * Reads a number as people write it, in national or international form; `phone` has the nine digits
 * of the interface. The country is the one that the number names, else the chosen one, else the one
 * of those offered whose numbers look like this, else the usual one.
 */
export function readPhone(text: string, offered: string[], chosen = '', usual = ''): PhoneReading {
  const written = withoutPunctuation(text)
  if (written === '') return { kind: 'problem', problem: 'phone_missing' }
  const read = digitsOf(written)
  if (read === undefined) return { kind: 'problem', problem: 'phone' }
  const { digits, isInternational } = read
  const named = isInternational ? countryOfDialCode(digits, offered) : undefined
  if (isInternational && named === undefined) return { kind: 'problem', problem: 'phone_country' }
  const country = named ?? countryOf(digits, offered, chosen) ?? usualFor(digits, offered, usual)
  if (country === undefined) {
    const isReadable = offered.some((one) => toNineDigits(digits, one) !== undefined)
    return { kind: 'problem', problem: isReadable ? 'country' : 'phone' }
  }
  const local = named === undefined ? toNineDigits(digits, country) : undefined
  // The country code is also accepted without +.
  const phone = local ?? toNineDigits(withoutDialCode(digits, country), country)
  return phone === undefined
    ? { kind: 'problem', problem: 'phone' }
    : { kind: 'phone', phone, country }
}

function countryOfDialCode(digits: string, offered: string[]): string | undefined {
  return offered.find((country) => digits.startsWith(numberingOf(country)?.dialCode ?? '+'))
}

function countryOf(digits: string, offered: string[], chosen: string): string | undefined {
  if (offered.includes(chosen)) return chosen
  const [first, another] = offered
  if (another === undefined) return first
  const likely = offered.filter((country) =>
    [digits, withoutDialCode(digits, country)].some((one) => isNational(one, country)),
  )
  return likely.length === 1 ? likely[0] : undefined
}

/** The usual country, if its numbers have as many digits. */
function usualFor(digits: string, offered: string[], usual: string): string | undefined {
  const isReadable = toNineDigits(withoutDialCode(digits, usual), usual) !== undefined
  return offered.includes(usual) && isReadable ? usual : undefined
}

function isNational(digits: string, country: string): boolean {
  return digits.length === numberingOf(country)?.digits && prefixOf(digits, country) !== undefined
}

/** The longest known prefix of a national number. */
function prefixOf(national: string, country: string): string | undefined {
  const known = Object.keys(numberingOf(country)?.prefixes ?? {})
  return known
    .filter((prefix) => national.startsWith(prefix))
    .sort((one, other) => other.length - one.length)[0]
}

/** Nine digits as people of a country write them: 77 123 45 67. */
export function groupPhone(phone: string, country: string): string {
  const national = toNational(phone, country)
  const facts = numberingOf(country)
  const groups: string[] = []
  let start = 0
  for (const length of national.length === facts?.digits ? facts.groups : [3, 3, 3]) {
    groups.push(national.slice(start, start + length))
    start += length
  }
  return [...groups, national.slice(start)].filter((group) => group !== '').join('\u00a0')
}

/**
 * A number as people write it: of a country, or else of the one whose numbers look like this. What
 * is no such number stays as it is.
 */
export function writtenPhone(number: string, country = ''): string {
  if (country !== '' && /^[0-9]{9}$/.test(number)) return groupPhone(number, country)
  const read = readPhone(number, Object.keys(countries))
  return read.kind === 'phone' ? groupPhone(read.phone, read.country) : number
}

/**
 * The same with plain spaces, for files and terminals. The service says its country; the numbers of
 * meters and customers of billers stay as they are.
 */
export function plainPhone(number: string, serviceCode = ''): string {
  const [, country, operation] = serviceCode.split('_')
  return operation === 'BILL' ? number : writtenPhone(number, country).replaceAll('\u00a0', ' ')
}

/** The provider whose wallet the first digits of a number suggest, such as WALLETA. */
export function likelyProvider(phone: string, country: string): string | null {
  const national = toNational(phone, country)
  const prefix = isNational(national, country) ? prefixOf(national, country) : undefined
  return prefix === undefined ? null : (numberingOf(country)?.prefixes[prefix] ?? null)
}

/** The dialling code of a country, such as +221; empty for an unknown country. */
export function dialCodeOf(country: string): string {
  const facts = numberingOf(country)
  return facts === undefined ? '' : `+${facts.dialCode}`
}
