import type { Country } from '../catalog/countries.ts'
import { countries } from '../catalog/countries.ts'

/** The number as the world dials it, without the plus. */
export function internationalPhone(country: Country, phone: string): string {
  return `${countries[country].dialCode}${nationalPhone(country, phone)}`
}

/** The number as it is dialled at home: our nine digits leave out a leading 0. */
export function nationalPhone(country: Country, phone: string): string {
  return `${countries[country].trunkPrefix}${phone}`
}
