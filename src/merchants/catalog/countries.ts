import type { Language } from '#base/kit/language.ts'

export type Country = 'SN' | 'ML' | 'CI' | 'CM'
export type Currency = 'XOF' | 'XAF'

interface CountryFacts {
  name: string
  /** International dialling code, without the plus. */
  dialCode: string
  /** The digits before a subscriber's number that our nine digits leave out. */
  trunkPrefix: string
  currency: Currency
  /** Of the days of its providers. */
  timeZone: string
}

/** The countries that the catalogue covers. XOF and XAF are two currencies of the same value. */
export const countries: Record<Country, CountryFacts> = {
  SN: {
    name: 'Senegal',
    dialCode: '221',
    trunkPrefix: '',
    currency: 'XOF',
    timeZone: 'Africa/Dakar',
  },
  ML: {
    name: 'Mali',
    dialCode: '223',
    trunkPrefix: '',
    currency: 'XOF',
    timeZone: 'Africa/Bamako',
  },
  CI: {
    name: "Côte d'Ivoire",
    dialCode: '225',
    trunkPrefix: '0',
    currency: 'XOF',
    timeZone: 'Africa/Abidjan',
  },
  CM: {
    name: 'Cameroon',
    dialCode: '237',
    trunkPrefix: '',
    currency: 'XAF',
    timeZone: 'Africa/Douala',
  },
}

const named: Record<Language, Intl.DisplayNames> = {
  fr: new Intl.DisplayNames('fr', { type: 'region' }),
  en: new Intl.DisplayNames('en', { type: 'region' }),
}

/** The name of a country as people write it; of any code of two letters. */
export function countryName(language: Language, country: string): string {
  return named[language].of(country) ?? country
}
