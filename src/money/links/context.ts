import type { Log } from '#base/log/log.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { DbParts, Tx } from '#data/db/db.ts'
import type { Catalog } from '#merchants/catalog/open.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { SubMerchants } from '#merchants/sub-merchants/open.ts'
import type { Providers } from '#money/providers/open.ts'
import type { Transactions } from '#money/transactions/open.ts'
import type { EndedLink } from './follow.ts'

/** Writes the events of links that have ended, in the transaction that ends them. */
export type AnnounceLinks = (tx: Tx, ended: EndedLink[], now: Date) => Promise<() => void>

/** What the verbs of this room share. */
export interface LinkContext extends DbParts {
  log: Log
  catalog: Catalog
  clients: Pick<Clients, 'contractOf' | 'mayBegin' | 'refuseInactive' | 'brandOf' | 'logoOf'>
  subMerchants: SubMerchants
  providers: Providers
  transactions: Transactions
  announceLinks: AnnounceLinks
  /** What stands for numbers that are no longer kept. */
  pseudonymOf: PseudonymOf
  /** The address of the payment page; final only once the gateway listens. */
  payUrl(): string
  /** Whether mail is sent; without a mail server it is only stored. */
  hasSmtp: boolean
}
