import type { Clock } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import type { SubMerchantCache } from './cache.ts'

/** What the verbs of this room share. */
export interface SubMerchantContext {
  db: Db
  clock: Clock
  cache: SubMerchantCache
}
