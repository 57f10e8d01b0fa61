import { cached } from '#base/kit/cached.ts'
import { batched } from '#data/db/batch.ts'
import type { Db } from '#data/db/db.ts'
import { findDefaults, findSubMerchants } from './store.ts'
import { isSubMerchantId, type SubMerchant } from './sub-merchant.ts'

/** A cache of sub-merchants, for payments. */
export interface SubMerchantCache {
  find(clientId: number, id: string): Promise<SubMerchant | undefined>
  findDefault(clientId: number): Promise<SubMerchant | undefined>
  /** To be called after every change, failed ones included. */
  forget(clientId: number, id: string): void
}

/** Opens a cache of half a second; concurrent look-ups share one statement. */
export function openSubMerchantCache(db: Db): SubMerchantCache {
  const findCached = cached(
    500,
    batched(async (keys: string[]) => {
      const found = await findSubMerchants(db, keys.map(readKey))
      const byKey = new Map(found.map((one) => [keyOf(one.clientId, one.id), one]))
      return keys.map((key) => byKey.get(key))
    }),
  )
  const findCachedDefault = cached(
    500,
    batched(async (clientIds: number[]) => {
      const found = await findDefaults(db, clientIds)
      const byClient = new Map(found.map((one) => [one.clientId, one]))
      return clientIds.map((clientId) => byClient.get(clientId))
    }),
  )
  return {
    find: async (clientId, id) => {
      if (!isSubMerchantId(id)) return undefined
      const key = keyOf(clientId, id)
      const found = await findCached(key)
      // A missing one is not cached: another process may create it, and wrong ids evict no others.
      if (found === undefined) findCached.forget(key)
      return found
    },
    findDefault: (clientId) => findCachedDefault(clientId),
    forget: (clientId, id) => {
      findCached.forget(keyOf(clientId, id))
      findCachedDefault.forget(clientId)
    },
  }
}

function keyOf(clientId: number, id: string): string {
  return `${clientId} ${id}`
}

function readKey(key: string): { clientId: number; id: string } {
  const [clientId, id = ''] = key.split(' ')
  return { clientId: Number(clientId), id }
}
