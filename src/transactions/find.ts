import { Refusal } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import { isUuidInAnyCase } from '../kit/ids.ts'
import { findByExternalIds, findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

/** The API key of a request, and the client it belongs to. */
export interface Caller {
  clientId: number
  keyId: string
}

/**
 * Finds a transaction by our id or the caller's external id (or only by the latter), among those
 * created with the calling key. Those of other keys are not found, as if they did not exist.
 */
export async function findOwn(
  db: Db,
  { clientId, keyId }: Caller,
  wanted: string | { externalId: string },
): Promise<Transaction | undefined> {
  const byId =
    typeof wanted === 'string' && isUuidInAnyCase(wanted)
      ? await findTransaction(db, { clientId, id: wanted })
      : undefined
  const externalId = typeof wanted === 'string' ? wanted : wanted.externalId
  // An external id may look like one of our ids that belongs to another key.
  const [found] =
    byId?.keyId === keyId ? [byId] : await findByExternalIds(db, [{ clientId, externalId }])
  return found?.keyId === keyId ? found : undefined
}

/** The same; refuses if there is none. */
export async function getOwn(db: Db, caller: Caller, idOrExternalId: string): Promise<Transaction> {
  const found = await findOwn(db, caller, idOrExternalId)
  if (found === undefined) throw new Refusal('not_found', 'No transaction found')
  return found
}
