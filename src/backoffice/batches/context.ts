import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Catalog } from '#merchants/catalog/open.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { SubMerchants } from '#merchants/sub-merchants/open.ts'
import type { Transactions } from '#money/transactions/open.ts'

/** What the verbs of this room share. */
export interface BatchContext extends DbParts {
  log: Log
  catalog: Catalog
  clients: Pick<Clients, 'contractOf'>
  subMerchants: SubMerchants
  transactions: Transactions
  /** The base address of links in mails; final only once the gateway listens. */
  publicUrl(): string
  /** Else mails are kept and not sent. */
  hasSmtp: boolean
  /** How many lines of a batch are sent in a second at most. */
  linesPerSecond: number
}
