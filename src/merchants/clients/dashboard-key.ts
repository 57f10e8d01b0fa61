import { newId } from '#base/kit/ids.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts } from '#data/db/db.ts'
import { lockClientOrRefuse } from './clients.ts'
import { keyRights } from './key-rights.ts'
import { findDashboardKey, insertKey } from './key-store.ts'

export const dashboardLabel = 'dashboard'

/**
 * The key that what people make in the dashboard belongs to: one for each client, created when it
 * is first needed. It has no secret, so that no request to the interface can use it.
 */
export async function dashboardKey({ db, clock }: DbParts, clientId: number): Promise<string> {
  const found = await findDashboardKey(db, clientId)
  if (found !== undefined) return found
  return db.transaction(async (tx) => {
    // Of two that create it at once, the second waits here and finds it.
    await lockClientOrRefuse(tx, clientId)
    const meanwhile = await findDashboardKey(tx, clientId)
    if (meanwhile !== undefined) return meanwhile
    const at = clock.now()
    const id = newId(at)
    await insertKey(tx, {
      clientId,
      id,
      label: dashboardLabel,
      rights: [...keyRights],
      scope: 'key',
      allowedAddresses: [],
      ratePerMinute: null,
      createdAt: at,
    })
    const details = { keyId: id, label: dashboardLabel, scope: 'key' }
    await recordAudit(tx, { at, actor: dashboardLabel, action: 'key.issue', clientId, details })
    return id
  })
}
