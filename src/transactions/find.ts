import type { Db } from '../kit/db.ts'
import { Refusal } from '../kit/refusal.ts'
import { findByExternalIds, findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Finds a transaction by our id or the caller's own, among those made with the calling key. What
 * belongs to somebody else is as unknown as what does not exist.
 */
export async function findOwn(
  db: Db,
  caller: { clientId: number; keyId: string },
  idOrExternalId: string,
): Promise<Transaction> {
  const { clientId, keyId } = caller
  const byId = uuid.test(idOrExternalId)
    ? await findTransaction(db, { clientId, id: idOrExternalId })
    : undefined
  // A caller's own id may look like one of ours that was made with another key.
  const [found] =
    byId?.keyId === keyId
      ? [byId]
      : await findByExternalIds(db, [{ clientId, externalId: idOrExternalId }])
  if (found?.keyId !== keyId) throw new Refusal('not_found', 'No transaction found')
  return found
}
