import { type Country, countries } from './countries.ts'
import { numbering } from './numbering.ts'

const nineDigits = /^[0-9]{9}$/

/** The digits of a number as people write it, and whether they begin with a dialling code. */
export function digitsOf(text: string): { digits: string; isInternational: boolean } | undefined {
  const [, mark, digits] = /^(\+|00)?([0-9]{1,15})$/.exec(withoutPunctuation(text)) ?? []
  return digits === undefined ? undefined : { digits, isInternational: mark !== undefined }
}

/** A text without the signs that people put between the digits of a number. */
export function withoutPunctuation(text: string): string {
  return text.normalize('NFKC').replaceAll(/[\s.\-‐-―()/]/g, '')
}

/** A national number as the interface has it: without the 0 of ten digits, eight after a 0. */
export function toNineDigits(national: string, country: string): string | undefined {
  const { digits = 9, trunkPrefix = '' } = numberingOf(country) ?? {}
  const isTrunk = trunkPrefix !== '' && national.length === 10 && national.startsWith(trunkPrefix)
  const isShort = national.length === digits && digits < 9
  const phone = isTrunk ? national.slice(trunkPrefix.length) : national
  const padded = isShort ? phone.padStart(9, '0') : phone
  return nineDigits.test(padded) ? padded : undefined
}

/**
 * Nine digits as they are dialled in their country: with the 0 of ten digits, without the 0 before
 * eight. Those that cannot be a national number stay as they are.
 */
export function toNational(phone: string, country: string): string {
  const { digits = 9, trunkPrefix = '' } = numberingOf(country) ?? {}
  return digits < 9 && phone.startsWith('0') ? phone.slice(9 - digits) : trunkPrefix + phone
}

/** Nine digits as they are dialled from anywhere, without the plus. */
export function toInternational(phone: string, country: string): string {
  return `${numberingOf(country)?.dialCode ?? ''}${toNational(phone, country)}`
}

/** Digits without the dialling code of a country, where they begin with it. */
export function withoutDialCode(digits: string, country: string): string {
  const { dialCode } = numberingOf(country) ?? { dialCode: '' }
  return digits.startsWith(dialCode) ? digits.slice(dialCode.length) : digits
}

/** Every number of the interface that a text may mean, in whichever country. */
export function possiblePhones(text: string): string[] {
  const read = digitsOf(text)
  if (read === undefined) return []
  const all = Object.keys(countries).flatMap((country) => [
    ...(read.isInternational ? [] : [toNineDigits(read.digits, country)]),
    toNineDigits(withoutDialCode(read.digits, country), country),
  ])
  return [...new Set(all.filter((phone) => phone !== undefined))]
}

/** The number that a text means, as the interface has it; one that is not clear stays as it is. */
export function nineDigitsOf(text: string): string {
  const [one, another] = possiblePhones(text)
  return one !== undefined && another === undefined ? one : text
}

/** The digits of every way to write a number of the interface, in whichever country. */
export function writtenDigits(phone: string): string[] {
  const all = Object.keys(countries).flatMap((country) => [
    toNational(phone, country),
    toInternational(phone, country),
  ])
  return [...new Set([phone, ...all])]
}

/** The numbers of a country; undefined: it is none of ours. */
export function numberingOf(country: string) {
  if (!Object.hasOwn(countries, country)) return undefined
  return { ...countries[country as Country], ...numbering[country as Country] }
}
