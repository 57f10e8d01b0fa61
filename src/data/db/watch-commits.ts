import type pg from 'pg'
import { CommitUnknown } from './errors.ts'
import { streamOf } from './stream-of.ts'

// Sessions of this login whose commit is written here, and waits for a standby to have it too. They
// stay when their client is gone, and end when the standby is back or is no longer waited for.
const waitingSessions = `
  select pid from pg_stat_activity
  where wait_event = 'SyncRep' and usename = session_user
    and query_start < clock_timestamp() - interval '10 seconds'`

/** Whether commits are confirmed by the synchronous standby, where the server waits for one. */
export interface CommitWatch {
  /** Commits are blocked, no standby confirms them: what writes is refused, what reads goes on. */
  isUnconfirmed(): boolean
  /** Asks the server; whoever has waited for ten seconds gets `CommitUnknown`. */
  ask(): Promise<void>
}

/**
 * No time limit of the server ends the wait for a standby: those of statements end before it. A
 * caller is told that the outcome is not known, since the commit is written on one of two servers.
 * Further writes are refused meanwhile: each would keep a connection of the server.
 */
export function watchCommits(
  questions: pg.Pool,
  inUse: { keys(): Iterable<pg.PoolClient> },
): CommitWatch {
  let isUnconfirmed = false
  return {
    isUnconfirmed: () => isUnconfirmed,
    ask: async () => {
      const { rows } = await questions.query<{ pid: number }>(waitingSessions)
      isUnconfirmed = rows.length > 0
      const pids = new Set<unknown>(rows.map(({ pid }) => pid))
      for (const client of inUse.keys())
        if (pids.has((client as unknown as { processID: number }).processID))
          streamOf(client).destroy(new CommitUnknown('the standby does not confirm the commit'))
    },
  }
}
