import { newId } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Tx } from '#data/db/db.ts'
import { type Making, untilCommitKnown, whileHeld } from '#data/db/making.ts'
import { lockClient } from '#merchants/clients/store.ts'
import type { SubMerchantContext } from './context.ts'
import {
  clearDefault,
  countSubMerchants,
  findSubMerchant,
  hasActive,
  insertSubMerchant,
  readSubMerchants,
  updateSubMerchant,
} from './store.ts'
import { type SubMerchant, type SubMerchantFacts, subMerchantIdOf } from './sub-merchant.ts'

interface NewSubMerchant {
  clientId: number
  facts: SubMerchantFacts
  /** Of a request that may be repeated: its one record. */
  making: Making | undefined
}

/** Creates a sub-merchant; it becomes the default if no other of the client is active. */
export async function createSubMerchant(
  context: SubMerchantContext,
  { clientId, facts, making }: NewSubMerchant,
): Promise<SubMerchant> {
  const createdAt = context.clock.now()
  const id = subMerchantIdOf(making?.id ?? newId(createdAt))
  const create = async (tx: Tx) => {
    const known = await findSubMerchant(tx, { clientId, id })
    if (known !== undefined) return known
    const isDefault = !(await hasActive(tx, clientId))
    const created = { ...facts, clientId, id, isActive: true, isDefault, createdAt }
    await insertSubMerchant(tx, created)
    return created
  }
  return untilCommitKnown(() =>
    changeUnderLock(context, { clientId, id }, (tx) => whileHeld(tx, [making], () => create(tx))),
  )
}

export type SubMerchantChange = Partial<SubMerchantFacts> & {
  isActive?: boolean
  isDefault?: boolean
}

export interface ChangeOrder {
  clientId: number
  id: string
  change: SubMerchantChange
}

/**
 * Changes a sub-merchant. A new default replaces the old one. Deactivating the default leaves the
 * client without one: payers see the client's own name instead.
 */
export async function changeSubMerchant(
  context: SubMerchantContext,
  { clientId, id, change }: ChangeOrder,
): Promise<SubMerchant> {
  return changeUnderLock(context, { clientId, id }, async (tx) => {
    const known = checkFound(await findSubMerchant(tx, { clientId, id }))
    const isActive = change.isActive ?? known.isActive
    const isDefault = await isDefaultAfter(tx, known, { ...change, isActive })
    const changed = { ...known, ...change, isActive, isDefault }
    if (isDefault && !known.isDefault) await clearDefault(tx, clientId)
    await updateSubMerchant(tx, changed)
    return changed
  })
}

/** A client's sub-merchant; one of another client is not found, as if it did not exist. */
export async function readSubMerchant(
  { db }: SubMerchantContext,
  clientId: number,
  id: string,
): Promise<SubMerchant> {
  return checkFound(await findSubMerchant(db, { clientId, id }))
}

/** A page of a client's sub-merchants, oldest first, and how many there are in all. */
export async function listSubMerchants(
  { db }: SubMerchantContext,
  clientId: number,
  { page, limit }: { page: number; limit: number },
): Promise<{ total: number; found: SubMerchant[] }> {
  const total = await countSubMerchants(db, clientId)
  const after = (page - 1) * limit
  const upTo = Math.min(after + limit, total)
  const found = after < total ? await readSubMerchants(db, clientId, { after, upTo }) : []
  return { total, found }
}

/** Runs a change under the client's lock, so that the client never has two defaults. */
async function changeUnderLock<T>(
  context: SubMerchantContext,
  { clientId, id }: { clientId: number; id: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    return await context.db.transaction(async (tx) => {
      await lockClient(tx, clientId)
      return work(tx)
    })
  } finally {
    context.cache.forget(clientId, id)
  }
}

async function isDefaultAfter(
  tx: Tx,
  known: SubMerchant,
  { isActive, isDefault }: { isActive: boolean; isDefault?: boolean },
): Promise<boolean> {
  if (isDefault === true && !isActive)
    throw new Refusal(
      'validation_failed',
      reason('{field} can only be true for an active sub-merchant', {}, 'isDefault'),
    )
  if (isDefault !== undefined || !isActive) return isDefault ?? false
  return known.isActive ? known.isDefault : !(await hasActive(tx, known.clientId))
}

function checkFound(found: SubMerchant | undefined): SubMerchant {
  if (found === undefined) throw new Refusal('not_found', 'No sub-merchant found')
  return found
}
