import type { Db, Tx } from './db.ts'

/**
 * Reads one moment of the database, however long it takes: over millions of rows a statement may
 * need more than the minute that any other has. It ends soon after whoever reads has gone.
 */
export function longRead<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`
    await tx`
      select set_config('statement_timeout', '0', true), set_config('work_mem', '64MB', true),
        set_config('client_connection_check_interval', '5s', true)`
    return work(tx)
  })
}
