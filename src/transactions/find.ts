import { Refusal } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import { isUuidInAnyCase } from '../kit/ids.ts'
import { findByExternalIds, findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

/** Who asks: the calling key, and the client it belongs to. */
export interface Caller {
  clientId: number
  keyId: string
}

/**
 * Finds a transaction by our id or the caller's own (or only the caller's own), among those made
 * with the calling key. What belongs to somebody else is as unknown as what does not exist.
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
  // A caller's own id may look like one of ours that was made with another key.
  const [found] =
    byId?.keyId === keyId ? [byId] : await findByExternalIds(db, [{ clientId, externalId }])
  return found?.keyId === keyId ? found : undefined
}

/** The same, where there must be one. */
export async function getOwn(db: Db, caller: Caller, idOrExternalId: string): Promise<Transaction> {
  const found = await findOwn(db, caller, idOrExternalId)
  if (found === undefined) throw new Refusal('not_found', 'No transaction found')
  return found
}
