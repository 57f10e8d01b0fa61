import type { Log } from '#base/log/log.ts'
import type { Db, DbParts } from '#data/db/db.ts'
import { type Sweeper, startSweeper } from '#data/db/due.ts'
import { addEntries, addTransactions, findBehind, lockCursor } from './hours-store.ts'

const batchMax = 5000
// A stop waits for the work under way: a long history is summed up in parts.
const batchesMax = 20
const idleMs = 2000

/**
 * Sums up the next events and entries of a client, a batch of each; true: there may be more. Either
 * a batch is added and the cursors are past it, or neither, so that each is counted once.
 */
export function summariseBatch(db: Db, clientId: number, limit = batchMax): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockCursor(tx, clientId))) return false
    const events = await addTransactions(tx, clientId, limit)
    const entries = await addEntries(tx, clientId, limit)
    return events === limit || entries === limit
  })
}

/** Sums up everything there is. */
export async function summariseAll(db: Db): Promise<void> {
  for (const clientId of await findBehind(db, 0, Number.MAX_SAFE_INTEGER))
    while (await summariseBatch(db, clientId));
}

interface SummaryParts extends DbParts {
  log: Log
  /** For tests: how many clients a round has. */
  clientsMax?: number
}

/**
 * Starts to sum up what payments leave, outside their transactions. Each round goes on after the
 * client that the last one has come to, so that none waits for others that never rest or fail.
 */
export function startSummaries({ clientsMax = 1000, ...parts }: SummaryParts): Sweeper {
  const { db } = parts
  let reached = 0
  const sweeper = startSweeper<number>({
    ...parts,
    name: 'summaries',
    claim: (_now, limit) => findBehind(db, reached, limit),
    work: async (clientIds, stopping) => {
      for (const clientId of clientIds) {
        if (stopping.aborted) return
        reached = clientId
        let batches = 1
        while (batches <= batchesMax && (await summariseBatch(db, clientId))) batches += 1
        if (batches > batchesMax) sweeper.wake()
      }
    },
    batchMax: clientsMax,
    idleMs,
  })
  return sweeper
}
