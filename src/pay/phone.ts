import type { Country } from '../catalog/countries.ts'
import { countries } from '../catalog/countries.ts'
import { phonePattern } from '../wire/patterns.ts'

const nineDigits = new RegExp(phonePattern)

export type PhoneReading =
  | { kind: 'phone'; phone: string }
  | { kind: 'problem'; problem: 'phone_missing' | 'phone' | 'phone_country' }

/** Reads a number as people write it in a wallet's country; the result has nine digits. */
export function readPhone(text: string, country: string): PhoneReading {
  const written = text.normalize('NFKC').replaceAll(/[\s.\-‐-―()/]/g, '')
  if (written === '') return { kind: 'problem', problem: 'phone_missing' }
  const [, mark, digits = ''] = /^(\+|00)?([0-9]{1,15})$/.exec(written) ?? []
  if (digits === '') return { kind: 'problem', problem: 'phone' }
  const { dialCode, trunkPrefix } = factsOf(country)
  const isAbroad = mark !== undefined && !digits.startsWith(dialCode)
  if (isAbroad) return { kind: 'problem', problem: 'phone_country' }
  // The country code is also accepted without +, if at least nine digits follow it.
  const isDialled = mark !== undefined || digits.length >= dialCode.length + 9
  const local = isDialled && digits.startsWith(dialCode) ? digits.slice(dialCode.length) : digits
  const isTrunk = trunkPrefix !== '' && local.length === 10 && local.startsWith(trunkPrefix)
  const phone = isTrunk ? local.slice(trunkPrefix.length) : local
  return nineDigits.test(phone) ? { kind: 'phone', phone } : { kind: 'problem', problem: 'phone' }
}

// The usual groups of digits in each country; elsewhere groups of three.
const groupings: Record<string, number[]> = {
  SN: [2, 3, 2, 2],
  CI: [2, 2, 2, 2, 2],
  CM: [1, 2, 2, 2, 2],
}

/** Nine digits as people of a country write them: 77 123 45 67. */
export function groupPhone(phone: string, country: string): string {
  const whole = factsOf(country).trunkPrefix + phone
  const groups: string[] = []
  let start = 0
  for (const length of groupings[country] ?? [3, 3, 3]) {
    groups.push(whole.slice(start, start + length))
    start += length
  }
  return [...groups, whole.slice(start)].filter((group) => group !== '').join('\u00a0')
}

/** A number with all but its first and last group hidden: 77 *** ** 67. */
export function maskPhone(phone: string, country: string): string {
  const groups = groupPhone(phone, country).split('\u00a0')
  return groups
    .map((group, index) =>
      index === 0 || index === groups.length - 1 ? group : '*'.repeat(group.length),
    )
    .join('\u00a0')
}

/** The country that the first digits of a nine-digit number suggest. */
export function likelyCountry(phone: string): Country | undefined {
  if (/^7[05678]/.test(phone)) return 'SN'
  if (/^[15]/.test(phone)) return 'CI'
  if (phone.startsWith('6')) return 'CM'
  return undefined
}

/** The dialling code of a country, such as +221; empty for an unknown country. */
export function dialCodeOf(country: string): string {
  const { dialCode } = factsOf(country)
  return dialCode === '' ? '' : `+${dialCode}`
}

function factsOf(country: string): { dialCode: string; trunkPrefix: string } {
  return Object.hasOwn(countries, country)
    ? countries[country as Country]
    : { dialCode: '', trunkPrefix: '' }
}
