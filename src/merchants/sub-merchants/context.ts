import type { DbParts } from '#data/db/db.ts'
import type { SubMerchantCache } from './cache.ts'

/** What the verbs of this room share. */
export interface SubMerchantContext extends DbParts {
  cache: SubMerchantCache
}
