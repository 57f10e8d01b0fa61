import { batched } from '../db/batch.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { remembered } from '../kit/remembered.ts'
import { findDefaults, findSubMerchants } from './store.ts'
import type { SubMerchant } from './sub-merchant.ts'
import { isSubMerchantId } from './sub-merchant.ts'

/**
 * Clients' sub-merchants, as payments ask for them: remembered for half a second, and what changes
 * through this book is seen in it at once.
 */
export interface SubMerchantBook {
  db: Db
  clock: Clock
  find(clientId: number, id: string): Promise<SubMerchant | undefined>
  findDefault(clientId: number): Promise<SubMerchant | undefined>
  /** For whoever has changed one, or tried to. */
  forget(clientId: number, id: string): void
}

/** Opens a process's book; questions that come together share one statement. */
export function openSubMerchants({ db, clock }: { db: Db; clock: Clock }): SubMerchantBook {
  const recall = remembered(
    500,
    batched(async (keys: string[]) => {
      const found = await findSubMerchants(db, keys.map(readKey))
      const byKey = new Map(found.map((one) => [keyOf(one.clientId, one.id), one]))
      return keys.map((key) => byKey.get(key))
    }),
  )
  const recallDefault = remembered(
    500,
    batched(async (clientIds: number[]) => {
      const found = await findDefaults(db, clientIds)
      const byClient = new Map(found.map((one) => [one.clientId, one]))
      return clientIds.map((clientId) => byClient.get(clientId))
    }),
  )
  return {
    db,
    clock,
    find: async (clientId, id) => {
      if (!isSubMerchantId(id)) return undefined
      const key = keyOf(clientId, id)
      const found = await recall(key)
      // Another process may make it any moment, and guesses must not crowd out what is there.
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
