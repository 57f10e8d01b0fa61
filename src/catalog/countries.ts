export type Country = 'SN' | 'ML' | 'CI' | 'CM'
export type Currency = 'XOF' | 'XAF'

interface CountryFacts {
  name: string
  /** International dialling code, without the plus. */
  dialCode: string
  /** The digits before a subscriber's number that our nine digits leave out. */
  trunkPrefix: string
  currency: Currency
}

/** The countries that the catalogue covers. XOF and XAF are two currencies of the same value. */
export const countries: Record<Country, CountryFacts> = {
  SN: { name: 'Senegal', dialCode: '221', trunkPrefix: '', currency: 'XOF' },
  ML: { name: 'Mali', dialCode: '223', trunkPrefix: '', currency: 'XOF' },
  CI: { name: "Côte d'Ivoire", dialCode: '225', trunkPrefix: '0', currency: 'XOF' },
  CM: { name: 'Cameroon', dialCode: '237', trunkPrefix: '', currency: 'XAF' },
}
