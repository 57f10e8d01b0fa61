import type { Country } from '../catalog/countries.ts'
import { countries } from '../catalog/countries.ts'

/** The number in international format, without the plus. */
export function internationalPhone(country: Country, phone: string): string {
  return `${countries[country].dialCode}${nationalPhone(country, phone)}`
}

/** The number as dialled inside its country: our nine digits leave out a leading 0. */
export function nationalPhone(country: Country, phone: string): string {
  return `${countries[country].trunkPrefix}${phone}`
}
