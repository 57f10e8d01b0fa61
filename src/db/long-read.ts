import type { Db, Tx } from './db.ts'
import { Fragment } from './statement.ts'

/**
 * Reads one moment of the database, however long it takes: over millions of rows a statement may
 * need more than the minute that any other has. It ends soon after whoever reads has gone.
 */
export function longRead<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`
    await setLimits(tx)
    return work(tx)
  })
}

/** The same over two connections that see one moment: what is asked of both takes no longer. */
export function longReads<T>(db: Db, work: (tx: Tx, beside: Tx) => Promise<T>): Promise<T> {
  return longRead(db, async (tx) => {
    const [shared] = await tx<{ moment: string }>`select pg_export_snapshot() as moment`
    const moment = new Fragment(`'${shared?.moment.replaceAll(/[^\dA-F-]/g, '')}'`)
    return db.transaction(async (beside) => {
      await beside`set transaction isolation level repeatable read, read only`
      await beside`set transaction snapshot ${moment}`
      await setLimits(beside)
      return work(tx, beside)
    })
  })
}

// Of two connections one may wait for minutes until the other has read its part.
async function setLimits(tx: Tx): Promise<void> {
  await tx`
    select set_config('statement_timeout', '0', true), set_config('work_mem', '64MB', true),
      set_config('idle_in_transaction_session_timeout', '1h', true),
      set_config('client_connection_check_interval', '5s', true)`
}
