import type { Db } from '../db/db.ts'

/** Clients that are on their way here from another cell: what there is of them is not whole yet. */
export async function readArriving(db: Db): Promise<Set<number>> {
  const rows = await db<{ id: number }>`
    select client_id as id from client_moves where state in ('arriving', 'ready', 'undoing')`
  return new Set(rows.map(({ id }) => id))
}
