import type { Catalog } from '../catalog/open.ts'
import type { Clients } from '../clients/open.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { Providers } from '../providers/open.ts'
import type { PseudonymOf } from '../sealing/pseudonym.ts'
import type { SubMerchants } from '../sub-merchants/open.ts'
import type { Transactions } from '../transactions/open.ts'
import type { EndedLink } from './follow.ts'

/** Writes the events of links that have ended, in the transaction that ends them. */
export type AnnounceLinks = (tx: Tx, ended: EndedLink[], now: Date) => Promise<() => void>

/** What the verbs of this room share. */
export interface LinkContext {
  db: Db
  clock: Clock
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
