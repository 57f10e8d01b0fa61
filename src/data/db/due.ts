import { setTimeout as sleep } from 'node:timers/promises'
import { after, type Clock } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import { type Db, identifier } from './db.ts'

interface DueRow {
  clientId: number
  id: string
}

interface Claim {
  /** A table with `client_id`, `id` and a nullable `due_at`: a row with a date is a job. */
  table: string
  now: Date
  /** The lease: after this time the row is due again, for any process. */
  leaseMs: number
  limit: number
}

/**
 * Claims rows whose `due_at` has passed by moving it to the end of a lease. Two processes never get
 * the same row (skip locked), and the rows of a process that dies fall due again. The CTE is
 * materialized: as a subquery it may run once for each row of a small table, beyond its limit.
 */
export function claimDue(db: Db, claim: Claim): Promise<DueRow[]> {
  const table = identifier(claim.table)
  return db<DueRow>`
    with due as materialized (
      select client_id, id from ${table}
      where due_at <= ${claim.now}
      order by due_at
      limit ${claim.limit}
      for update skip locked
    )
    update ${table} t set due_at = ${after(claim.now, claim.leaseMs)}
    from due where (t.client_id, t.id) = (due.client_id, due.id)
    returning t.client_id as "clientId", t.id`
}

interface Sweep<Row> {
  name: string
  claim(now: Date, limit: number): Promise<Row[]>
  /**
   * Works on the rows; a row that is left undone falls due again when its lease ends. The signal is
   * aborted when the sweeper is to stop, for work that takes long.
   */
  work(rows: Row[], stopping: AbortSignal): Promise<void>
  batchMax: number
  /** How long to sleep after a claim that was not full. */
  idleMs: number
  clock: Clock
  log: Log
}

export interface Sweeper {
  /** Claims now instead of after the sleep. */
  wake(): void
  /** Resolves once the work under way is done; claims no more. */
  stop(): Promise<void>
}

/** Claims and works in a loop until it is stopped; logs a failure and retries after a sleep. */
export function startSweeper<Row>(sweep: Sweep<Row>): Sweeper {
  const stopping = new AbortController()
  const { signal } = stopping
  let sleeping = new AbortController()

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      const isFull = await sweepOnce(sweep, signal)
      if (isFull || signal.aborted) continue
      await sleep(sweep.idleMs, undefined, { signal: sleeping.signal }).catch(() => {})
      sleeping = new AbortController()
    }
  }

  const ended = loop()
  return {
    wake: () => sleeping.abort(),
    stop: async () => {
      stopping.abort()
      sleeping.abort()
      await ended
    },
  }
}

/** One claim and its work; true when the claim was full, so that more rows may be due. */
async function sweepOnce<Row>(sweep: Sweep<Row>, stopping: AbortSignal): Promise<boolean> {
  try {
    const rows = await sweep.claim(sweep.clock.now(), sweep.batchMax)
    if (rows.length > 0) await sweep.work(rows, stopping)
    return rows.length === sweep.batchMax
  } catch (problem) {
    sweep.log.error({ err: problem, sweep: sweep.name }, 'a sweep failed and will be tried again')
    return false
  }
}
