import type { Country } from '#merchants/catalog/countries.ts'
import type { SubMerchantCache } from './cache.ts'
import { serves } from './sub-merchant.ts'

/** The sub-merchant that a payment names, if any, and where it is made. */
export interface PayeeQuery {
  clientId: number
  /** Undefined: the client's default, where it serves the country. */
  subMerchantId: string | undefined
  /** Undefined: not known yet, and not checked. */
  country: Country | undefined
  /** The client's own name, shown when no sub-merchant's is. */
  fallbackName: string
}

/** Whose name the payer is shown, or why the sub-merchant named cannot be used. */
export type Payee =
  | { kind: 'named'; payeeName: string; subMerchantId: string | null }
  | { kind: 'not_yours' }
  | { kind: 'not_active' }
  | { kind: 'not_in_country'; country: Country }

/** The name that the payer is shown; reads through the cache. */
export async function payeeFor(cache: SubMerchantCache, query: PayeeQuery): Promise<Payee> {
  const { clientId, subMerchantId, country, fallbackName } = query
  if (subMerchantId === undefined) {
    const chosen = await cache.findDefault(clientId)
    return chosen !== undefined && (country === undefined || serves(chosen, country))
      ? { kind: 'named', payeeName: chosen.commercialName, subMerchantId: chosen.id }
      : { kind: 'named', payeeName: fallbackName, subMerchantId: null }
  }
  const found = await cache.find(clientId, subMerchantId)
  if (found === undefined) return { kind: 'not_yours' }
  if (!found.isActive) return { kind: 'not_active' }
  if (country !== undefined && !serves(found, country)) return { kind: 'not_in_country', country }
  return { kind: 'named', payeeName: found.commercialName, subMerchantId: found.id }
}
