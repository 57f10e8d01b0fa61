import { batched } from '../db/batch.ts'
import type { Db } from '../db/db.ts'
import { cached } from '../kit/cached.ts'
import type { Language } from '../kit/language.ts'
import type { MerchantStatus, ServiceTerms } from './store.ts'
import { findClients, readAllTerms } from './store.ts'

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

/**
 * Tells clients' contracts; a change made in any process is seen within half a second. Questions
 * that come together share their statements.
 */
export function watchContracts(db: Db): (clientId: number) => Promise<Contract> {
  const find = batched(async (clientIds: number[]) => {
    const [clients, terms] = await Promise.all([
      findClients(db, clientIds),
      readAllTerms(db, clientIds),
    ])
    const termsOf = Map.groupBy(terms, ({ clientId }) => clientId)
    const contracts = new Map(
      clients.map((client): [number, Contract] => {
        const own = (termsOf.get(client.id) ?? []).map(
          ({ clientId: _client, ...one }) => [one.serviceCode, one] as const,
        )
        return [client.id, { ...client, terms: new Map(own) }]
      }),
    )
    return clientIds.map((clientId) => contracts.get(clientId))
  })
  return cached(500, async (clientId: number) => {
    const contract = await find(clientId)
    if (contract === undefined) throw new Error(`there is no client ${clientId}`)
    return contract
  })
}

/** The amounts a client may move through a service. */
export function limitsOf(terms: ServiceTerms | undefined): { min: number; max: number } {
  return {
    min: terms?.amountMin ?? generalLimits.min,
    max: terms?.amountMax ?? generalLimits.max,
  }
}
