import { recordAudit } from '../db/audit-log.ts'
import type { Arrivals, Asked } from './arrival.ts'
import { arriving, done } from './arrival.ts'
import { writeAudit } from './people-store.ts'
import { changeState } from './state-store.ts'
import type { Done } from './wire.ts'

/** Begins to work for a client that the old cell has let go; once, with its audit records. */
export async function activate(
  { db, clock }: Arrivals,
  { moveId, asked: { clientId }, lines }: Asked<'activate'>,
): Promise<Done> {
  await db.transaction(async (tx) => {
    const move = await arriving(tx, { moveId, clientId }, ['ready', 'active'])
    if (move.state === 'active') return
    const change = { clientId, id: moveId, from: ['ready'], to: 'active' }
    if (!(await changeState(tx, change))) return
    await writeAudit(tx, { clientId, from: move.peerUrl, rows: lines })
    const details = { from: move.peerUrl, move: moveId }
    const record = { at: clock.now(), actor: 'gateway', action: 'client.arrive', clientId }
    await recordAudit(tx, { ...record, details })
  })
  return done
}
