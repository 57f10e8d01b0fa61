import type { Db, Tx } from '#data/db/db.ts'

/** The name of the cell that a database belongs to; null: it has none. */
export async function readCellName(run: Db | Tx): Promise<string | null> {
  const [row] = await run<{ name: string }>`select name from cell`
  return row?.name ?? null
}

/** Gives a database its cell's name, unless it has one. */
export async function insertCellName(db: Db, name: string, at: Date): Promise<void> {
  await db`
    insert into cell (name, recorded_at) values (${name}, ${at}) on conflict do nothing`
}
