import type { Db, Tx } from './db.ts'
import { Fragment } from './statement.ts'

/**
 * Reads one snapshot of the database without a statement timeout: over millions of rows a statement
 * may need more than the usual minute. The server ends it within 5 s of losing the client.
 */
export function longRead<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`
    await setLimits(tx)
    return work(tx)
  })
}

/** The same on two connections that share one snapshot, so that both can read in parallel. */
export function parallelLongRead<T>(db: Db, work: (tx: Tx, second: Tx) => Promise<T>): Promise<T> {
  return longRead(db, async (tx) => {
    const [exported] = await tx<{ snapshot: string }>`select pg_export_snapshot() as snapshot`
    const snapshot = new Fragment(`'${exported?.snapshot.replaceAll(/[^\dA-F-]/g, '')}'`)
    return db.transaction(async (second) => {
      await second`set transaction isolation level repeatable read, read only`
      await second`set transaction snapshot ${snapshot}`
      await setLimits(second)
      return work(tx, second)
    })
  })
}

// One of two connections may be idle for minutes until the other has read its part.
async function setLimits(tx: Tx): Promise<void> {
  await tx`
    select set_config('statement_timeout', '0', true), set_config('work_mem', '64MB', true),
      set_config('idle_in_transaction_session_timeout', '1h', true),
      set_config('client_connection_check_interval', '5s', true)`
}
