import { cached } from '#base/kit/cached.ts'
import type { Language } from '#base/kit/language.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { batched } from '#data/db/batch.ts'
import type { Db } from '#data/db/db.ts'
import type { MerchantStatus } from './statuses.ts'
import { findClients } from './store.ts'
import { readTermsOf, type ServiceTerms } from './terms-store.ts'

/** What a client may use at which price, and its other settings. */
export interface Contract {
  /** The name that payers see, unless a payment has a payee of its own. */
  name: string
  /** By service code. */
  terms: ReadonlyMap<string, ServiceTerms>
  merchantStatus: MerchantStatus
  /** Where mail to the merchant goes, in `language`; null: it gets none. */
  email: string | null
  language: Language
  /** How long its payment links can be paid, in seconds. */
  linkLifetimeS: number
}

/** The smallest and the largest amount of a transaction, unless a client's terms say otherwise. */
export const generalLimits = { min: 200, max: 1_000_000 }

/**
 * Returns a reader of clients' contracts. A contract is cached for half a second; concurrent reads
 * share their statements.
 */
export function watchContracts(db: Db): (clientId: number) => Promise<Contract> {
  const find = batched(async (clientIds: number[]) => {
    const [clients, terms] = await Promise.all([
      findClients(db, clientIds),
      readTermsOf(db, clientIds),
    ])
    const termsByClient = Map.groupBy(terms, ({ clientId }) => clientId)
    const contracts = new Map(
      clients.map((client): [number, Contract] => {
        const own = (termsByClient.get(client.id) ?? []).map(
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

/** Why a client's own terms exclude an amount that others have set; undefined: they do not. */
export function ownLimitProblem(
  { amountMin, amountMax }: ServiceTerms,
  amount: number,
): Reason | undefined {
  if (amountMin !== null && amount < amountMin)
    return reason('{amount} FCFA is less than your account may pay at once: at least {min} FCFA', {
      amount,
      min: amountMin,
    })
  if (amountMax !== null && amount > amountMax)
    return reason('{amount} FCFA is more than your account may pay at once: at most {max} FCFA', {
      amount,
      max: amountMax,
    })
  return undefined
}

/** The smallest and the largest amount that a client may move through a service. */
export function limitsOf(terms: ServiceTerms | undefined): { min: number; max: number } {
  return {
    min: terms?.amountMin ?? generalLimits.min,
    max: terms?.amountMax ?? generalLimits.max,
  }
}
