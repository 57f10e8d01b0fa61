import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { SubMerchantCache } from './cache.ts'

/** What the verbs of this room share. */
export interface SubMerchantContext {
  db: Db
  clock: Clock
  cache: SubMerchantCache
}
