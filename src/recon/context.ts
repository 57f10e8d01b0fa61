import type { Approvals } from '../approvals/open.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { PseudonymOf } from '../sealing/pseudonym.ts'
import type { Transactions } from '../transactions/open.ts'

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
