import { batched } from '../db/batch.ts'
import type { Db } from '../db/db.ts'
import { cached } from '../kit/cached.ts'
import { findDefaults, findSubMerchants } from './store.ts'
import type { SubMerchant } from './sub-merchant.ts'
import { isSubMerchantId } from './sub-merchant.ts'

/** A cache of sub-merchants, as payments look them up. */
export interface SubMerchantCache {
  find(clientId: number, id: string): Promise<SubMerchant | undefined>
  findDefault(clientId: number): Promise<SubMerchant | undefined>
  /** To be called after a change, or an attempted one. */
  forget(clientId: number, id: string): void
}

/** Opens a cache of half a second; concurrent look-ups share one statement. */
export function openSubMerchantCache(db: Db): SubMerchantCache {
  const recall = cached(
    500,
    batched(async (keys: string[]) => {
      const found = await findSubMerchants(db, keys.map(readKey))
      const byKey = new Map(found.map((one) => [keyOf(one.clientId, one.id), one]))
      return keys.map((key) => byKey.get(key))
    }),
  )
  const recallDefault = cached(
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
      const found = await recall(key)
      // Another process may create it at any moment, and wrong ids must not evict real ones.
      if (found === undefined) recall.forget(key)
      return found
    },
    findDefault: (clientId) => recallDefault(clientId),
    forget: (clientId, id) => {
      recall.forget(keyOf(clientId, id))
      recallDefault.forget(clientId)
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
