import { isUuidInAnyCase } from '#base/kit/ids.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Db } from '#data/db/db.ts'
import { sees, type Viewer } from '#merchants/clients/scope.ts'
import { findByExternalIds, findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

/**
 * Finds a transaction by our id or the caller's external id (or only by the latter), among those
 * that the calling key sees. Others are not found, as if they did not exist.
 */
export async function findOwn(
  db: Db,
  caller: Viewer,
  wanted: string | { externalId: string },
): Promise<Transaction | undefined> {
  const { clientId } = caller
  const byId =
    typeof wanted === 'string' && isUuidInAnyCase(wanted)
      ? await findTransaction(db, { clientId, id: wanted })
      : undefined
  const externalId = typeof wanted === 'string' ? wanted : wanted.externalId
  // An external id may look like one of our ids that belongs to another key.
  if (byId !== undefined && sees(caller, byId)) return byId
  const [found] = await findByExternalIds(db, [{ clientId, externalId }])
  return found !== undefined && sees(caller, found) ? found : undefined
}

/** The same; refuses if there is none. */
export async function getOwn(db: Db, caller: Viewer, idOrExternalId: string): Promise<Transaction> {
  const found = await findOwn(db, caller, idOrExternalId)
  if (found === undefined) throw new Refusal('not_found', 'No transaction found')
  return found
}
