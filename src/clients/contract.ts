import type { Db } from '../kit/db.ts'
import type { Language } from '../kit/language.ts'
import { remembered } from '../kit/remembered.ts'
import type { MerchantStatus, ServiceTerms } from './store.ts'
import { findClient, readTerms } from './store.ts'

/** What a client agreed with us. */
export interface Contract {
  /** What payers are shown when nothing else is said. */
  name: string
  terms: ReadonlyMap<string, ServiceTerms>
  merchantStatus: MerchantStatus
  /** Where the merchant is written to, and in which language; null: nowhere. */
  email: string | null
  language: Language
  /** How long payers have for its links, in seconds. */
  linkLifetimeS: number
}

/** Smallest and largest amount of a transaction, unless a client has its own. */
export const generalLimits = { min: 200, max: 1_000_000 }

/** Tells clients' contracts; a change made in any process is seen within half a second. */
export function watchContracts(db: Db): (clientId: number) => Promise<Contract> {
  return remembered(500, async (clientId: number) => {
    const [client, terms] = await Promise.all([findClient(db, clientId), readTerms(db, clientId)])
    if (client === undefined) throw new Error(`there is no client ${clientId}`)
    return { ...client, terms: new Map(terms.map((one) => [one.serviceCode, one])) }
  })
}

/** The amounts a client may move through a service. */
export function limitsOf(terms: ServiceTerms | undefined): { min: number; max: number } {
  return {
    min: terms?.amountMin ?? generalLimits.min,
    max: terms?.amountMax ?? generalLimits.max,
  }
}
