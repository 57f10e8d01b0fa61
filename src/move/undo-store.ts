import { withClient } from '../db/client.ts'
import type { Db } from '../db/db.ts'
import { removePeople } from './people-store.ts'
import { readShapes } from './shape-store.ts'
import { changeState, findMove } from './state-store.ts'

/**
 * Deletes everything that has arrived of a client which never was at work here. As the owner, and
 * only while the move is `undoing`: the triggers of append-only tables let nothing else through.
 */
export async function undoArrival(
  db: Db,
  { clientId, moveId }: { clientId: number; moveId: string },
): Promise<void> {
  const move = await findMove(db, clientId, 'in')
  if (move?.id !== moveId || move.state === 'undone') return
  const change = { clientId, id: moveId }
  const from = ['arriving', 'ready', 'undoing']
  if (!(await changeState(db, { ...change, from, to: 'undoing' })))
    throw new Error(`client ${clientId} is at work here`)
  const { added = [] } = move.progress as { added?: string[] }
  await db.transaction((tx) => removePeople(tx, clientId, added))
  const shapes = await readShapes(db)
  await withClient({ url: db.access.url }, async (owner) => {
    await owner.query("select set_config('passerelle.undoing', $1, false)", [String(clientId)])
    for (const { name, client } of [...shapes.values()].toReversed())
      await owner.query(`delete from ${name} where ${client} = $1`, [clientId])
  })
  await changeState(db, { ...change, from: ['undoing'], to: 'undone' })
}
