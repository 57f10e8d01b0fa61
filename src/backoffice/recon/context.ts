import type { Approvals } from '#backoffice/approvals/open.ts'
import type { Clock } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { PseudonymOf } from '#base/sealing/pseudonym.ts'
import type { Db } from '#data/db/db.ts'
import type { Transactions } from '#money/transactions/open.ts'

/** What the verbs of this room share. */
export interface ReconContext {
  db: Db
  clock: Clock
  log: Log
  transactions: Transactions
  approvals: Approvals
  /** What stands for numbers that are no longer kept. */
  pseudonymOf: PseudonymOf
}
