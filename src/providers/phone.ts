import type { Country } from '../catalog/countries.ts'
import { countries } from '../catalog/countries.ts'

/** The number in international format, without the plus. */
export function internationalPhone(country: Country, phone: string): string {
  return `${countries[country].dialCode}${nationalPhone(country, phone)}`
}

/**
 * The number as dialled inside its country: our nine digits leave out a leading 0 in Côte d'Ivoire,
 * and begin with one in Mali, whose numbers have eight digits.
 */
export function nationalPhone(country: Country, phone: string): string {
  if (country === 'ML' && phone.startsWith('0')) return phone.slice(1)
  return `${countries[country].trunkPrefix}${phone}`
}
