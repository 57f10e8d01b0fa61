import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Providers } from '#money/providers/open.ts'
import type { Transactions } from '#money/transactions/open.ts'

/** What the verbs of this room share. */
export interface BillContext extends DbParts {
  log: Log
  providers: Providers
  transactions: Transactions
}
