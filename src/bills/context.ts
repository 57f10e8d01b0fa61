import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import type { Providers } from '../providers/open.ts'
import type { Transactions } from '../transactions/open.ts'

/** What the verbs of this room share. */
export interface BillContext {
  db: Db
  clock: Clock
  log: Log
  providers: Providers
  transactions: Transactions
}
