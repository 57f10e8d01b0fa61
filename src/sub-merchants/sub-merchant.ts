import { randomBytes } from 'node:crypto'

/** Where a sub-merchant can sell; not every one of these has services yet. */
export const servableCountries = ['SN', 'CI', 'CM', 'BJ', 'BF', 'GN'] as const

export type ServableCountry = (typeof servableCountries)[number]

/** What a client tells about a sub-merchant. */
export interface SubMerchantFacts {
  /** For the client's own eyes. */
  name: string
  /** What payers are shown. */
  commercialName: string
  countries: ServableCountry[]
  description: string | null
  legalName: string | null
  businessActivity: string | null
  managerName: string | null
  websiteUrl: string | null
  phoneNumber: string | null
  city: string | null
  address: string | null
  zipcode: string | null
}

/** A shop of a client. */
export interface SubMerchant extends SubMerchantFacts {
  clientId: number
  id: string
  isActive: boolean
  /** Names the payer's screen when a payment names nobody; only ever an active one. */
  isDefault: boolean
  createdAt: Date
}

/** An id like `sm-7f4a9940c621`, unique within a client. */
export function newSubMerchantId(): string {
  return `sm-${randomBytes(6).toString('hex')}`
}

/** Whether a text can be the id of a sub-merchant: what cannot is not looked up. */
export function isSubMerchantId(text: string): boolean {
  return /^sm-[0-9a-f]{12}$/.test(text)
}

/** Whether it sells in a country; nobody can name Mali, so nobody is kept out of there. */
export function serves({ countries }: SubMerchant, country: string): boolean {
  const isServable = servableCountries.some((one) => one === country)
  return !isServable || countries.some((one) => one === country)
}
