/** Countries that a sub-merchant can list; not all of them have services yet. */
export const servableCountries = ['SN', 'CI', 'CM', 'BJ', 'BF', 'GN'] as const

export type ServableCountry = (typeof servableCountries)[number]

/** The details of a sub-merchant that its client sets. */
export interface SubMerchantFacts {
  /** Shown to the client only. */
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
  /** Its name is shown when a payment names no sub-merchant; only an active one can be it. */
  isDefault: boolean
  createdAt: Date
}

/** An id like `sm-7f4a9940c621`, unique within a client: the random end of a record's id. */
export function subMerchantIdOf(recordId: string): string {
  return `sm-${recordId.slice(-12)}`
}

/** Whether a text has the form of a sub-merchant's id; others are not looked up. */
export function isSubMerchantId(text: string): boolean {
  return /^sm-[0-9a-f]{12}$/.test(text)
}

/** Whether it sells in a country. A country that cannot be listed (Mali) is open to all. */
export function serves({ countries }: SubMerchant, country: string): boolean {
  const isServable = servableCountries.some((one) => one === country)
  return !isServable || countries.some((one) => one === country)
}
