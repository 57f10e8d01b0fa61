import type { Country } from '../catalog/countries.ts'
import type { SubMerchantCache } from './cache.ts'
import { serves } from './sub-merchant.ts'

/** Whom a payment is to be for. */
export interface PayeeWish {
  clientId: number
  /** Left out: the client's default, where it serves the country. */
  subMerchantId: string | undefined
  /** Left out: not known yet, and not checked. */
  country: Country | undefined
  /** The client's own name, for when there is no sub-merchant to name. */
  fallbackName: string
}

/** Whose name the payer is shown, or why the one that was asked for cannot be. */
export type Payee =
  | { kind: 'named'; payeeName: string; subMerchantId: string | null }
  | { kind: 'not_yours' }
  | { kind: 'not_active' }
  | { kind: 'not_in_country'; country: Country }

/** The name that the payer is shown; reads through the cache. */
export async function payeeFor(cache: SubMerchantCache, wish: PayeeWish): Promise<Payee> {
  const { clientId, subMerchantId, country, fallbackName } = wish
  if (subMerchantId === undefined) {
    const usual = await cache.findDefault(clientId)
    return usual !== undefined && (country === undefined || serves(usual, country))
      ? { kind: 'named', payeeName: usual.commercialName, subMerchantId: usual.id }
      : { kind: 'named', payeeName: fallbackName, subMerchantId: null }
  }
  const found = await cache.find(clientId, subMerchantId)
  if (found === undefined) return { kind: 'not_yours' }
  if (!found.isActive) return { kind: 'not_active' }
  if (country !== undefined && !serves(found, country)) return { kind: 'not_in_country', country }
  return { kind: 'named', payeeName: found.commercialName, subMerchantId: found.id }
}
