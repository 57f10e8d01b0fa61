import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Db } from './db.ts'
import { identifier } from './db.ts'

interface DueId {
  clientId: number
  id: string
}

interface Claim {
  /**
   * A table with `client_id`, `id` and a nullable `due_at`: a row that waits for work is the job.
   */
  table: string
  now: Date
  /** How long the claimer has before the row is due again for anybody. */
  leaseMs: number
  limit: number
}

/**
 * Claims rows whose `due_at` has come by moving it to the end of the lease. Several processes never
 * get the same row, and a process that dies leaves rows that simply fall due again. The choice is
 * materialized: as a subquery a plan may run it once per row of a small table, past its limit.
 */
export function claimDue(db: Db, claim: Claim): Promise<DueId[]> {
  const table = identifier(claim.table)
  return db<DueId>`
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
  /** Works on the rows; what it leaves undone falls due again when the lease ends. */
  work(rows: Row[]): Promise<void>
  batchMax: number
  /** How long to rest when nothing was due. */
  idleMs: number
  clock: Clock
  log: Log
}

export interface Sweeper {
  /** Looks for due rows now instead of after the rest. */
  wake(): void
  /** Ends after the work under way. */
  stop(): Promise<void>
}

/**
 * Keeps claiming and working until it is stopped; a failure is logged and tried again after a rest.
 */
export function startSweeper<Row>(sweep: Sweep<Row>): Sweeper {
  let isStopping = false
  let rest = new AbortController()

  async function loop(): Promise<void> {
    while (!isStopping) {
      const isFull = await sweepOnce(sweep)
      if (isFull || isStopping) continue
      await sleep(sweep.idleMs, undefined, { signal: rest.signal }).catch(() => {})
      rest = new AbortController()
    }
  }

  const ended = loop()
  return {
    wake: () => rest.abort(),
    stop: async () => {
      isStopping = true
      rest.abort()
      await ended
    },
  }
}

/** One claim and its work; true when there may be more waiting. */
async function sweepOnce<Row>(sweep: Sweep<Row>): Promise<boolean> {
  try {
    const rows = await sweep.claim(sweep.clock.now(), sweep.batchMax)
    if (rows.length > 0) await sweep.work(rows)
    return rows.length === sweep.batchMax
  } catch (problem) {
    sweep.log.error({ err: problem, sweep: sweep.name }, 'a sweep failed and will be tried again')
    return false
  }
}
