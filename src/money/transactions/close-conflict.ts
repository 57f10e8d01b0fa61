import { isUuid } from '#base/kit/ids.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { DbParts } from '#data/db/db.ts'
import { closeConflicts } from './conflict-store.ts'

export interface ConflictClosing {
  id: string
  reason: string
  actor: string
}

/** Closes a conflict that an operator has dealt with: it no longer counts. Moves no money. */
export async function closeConflict({ db, clock }: DbParts, order: ConflictClosing): Promise<void> {
  const { id, actor } = order
  await db.transaction(async (tx) => {
    const at = clock.now()
    const closing = { at, by: actor, reason: order.reason }
    const [closed] = isUuid(id) ? await closeConflicts(tx, [id], closing) : []
    if (closed === undefined)
      throw new Refusal('not_found', reason('There is no open conflict {id}', { id }))
    const { clientId, transactionId } = closed
    const details = { id, transactionId, reason: order.reason }
    await recordAudit(tx, { at, actor, action: 'conflict.close', clientId, details })
  })
}
