import type { Db } from './db.ts'

/** Whether commits wait until a standby has them too. */
export async function isSynchronous(db: Db): Promise<boolean> {
  const [row] = await db<{ names: string }>`
    select current_setting('synchronous_standby_names') as names`
  return row !== undefined && row.names !== ''
}
