import type { DbParts } from '#data/db/db.ts'
import type { Making } from '#data/db/making.ts'
import { openSubMerchantCache } from './cache.ts'
import { type PayeeQuery, payeeFor } from './payee.ts'
import { findSubMerchant } from './store.ts'
import { type SubMerchantFacts, subMerchantIdOf } from './sub-merchant.ts'
import {
  type ChangeOrder,
  changeSubMerchant,
  createSubMerchant,
  listSubMerchants,
  readSubMerchant,
} from './sub-merchants.ts'

/** Everything that can be done with sub-merchants. */
export type SubMerchants = ReturnType<typeof openSubMerchants>

/** Opens the room. */
export function openSubMerchants(parts: DbParts) {
  const cache = openSubMerchantCache(parts.db)
  const context = { ...parts, cache }
  return {
    create: (clientId: number, facts: SubMerchantFacts, making?: Making) =>
      createSubMerchant(context, { clientId, facts, making }),
    /** What a request made; undefined: nothing. */
    findMade: (clientId: number, recordId: string) =>
      findSubMerchant(parts.db, { clientId, id: subMerchantIdOf(recordId) }),
    change: (order: ChangeOrder) => changeSubMerchant(context, order),
    read: (clientId: number, id: string) => readSubMerchant(context, clientId, id),
    list: (clientId: number, page: { page: number; limit: number }) =>
      listSubMerchants(context, clientId, page),
    /** For payments: read through a cache of half a second, which changes here invalidate. */
    find: (clientId: number, id: string) => cache.find(clientId, id),
    payeeFor: (query: PayeeQuery) => payeeFor(cache, query),
  }
}
