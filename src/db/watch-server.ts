import type { Socket } from 'node:net'
import pg from 'pg'
import { monotonicMs } from '../kit/clock.ts'
import { DatabaseSilent, isTimeout } from './errors.ts'

const tickMs = 500
// Nothing was answered for this long: the server is asked.
const suspectAfterMs = 1000
// It has this long to answer: a server that is merely busy answers within milliseconds.
const answerWithinMs = 3000
// A COMMIT that was sent may have taken effect, so that its answer is waited for longer.
const commitWithinMs = 10_000
// Beyond this it was our own process that had no time to read the answer.
const stallMs = 1000

// Fails when the disk is full, by writing 1 MB to a temporary file; changes nothing.
const probe = `
  set local work_mem = '64kB';
  with wide as materialized (select repeat('x', 1000) as line from generate_series(1, 1000))
  select count(line), current_setting('transaction_read_only') as read_only from wide`

const committing = new WeakMap<pg.ClientBase, number>()

/** Runs a COMMIT, whose answer is waited for longer than others. */
export async function duringCommit<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  committing.set(client, monotonicMs())
  try {
    return await work()
  } finally {
    committing.delete(client)
  }
}

/** What is known of the server behind a pool. */
export interface ServerWatch {
  /** Throws `DatabaseSilent` while the server does not answer. */
  check(): void
  /** Rejects, within three seconds, when the server cannot be reached or cannot write. */
  ping(): Promise<void>
  close(): Promise<void>
}

/**
 * Tells a server that has stopped answering (a frozen machine, a network that drops everything)
 * from one that is busy: its own timeouts do not help then. Connections that wait for a silent
 * server are closed, so that callers get an error: what was not committed is rolled back.
 */
export function watchServer(pool: pg.Pool, config: pg.PoolConfig): ServerWatch {
  const probes = new pg.Pool({
    ...config,
    max: 1,
    pipeline: false,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  })
  probes.on('error', () => {})
  probes.on('connect', (client) => void client.on('error', () => {}))
  const inUse = new Set<pg.PoolClient>()
  let lastAnswerMs = monotonicMs()
  let isSilent = false
  let pinging: Promise<void> | undefined
  pool.on('acquire', (client) => void inUse.add(client))
  pool.on('release', (problem, client) => {
    inUse.delete(client)
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- undefined when all went well
    if (!problem) lastAnswerMs = monotonicMs()
  })

  async function askServer(): Promise<void> {
    const startedMs = monotonicMs()
    try {
      const results = (await probes.query(probe)) as unknown as pg.QueryResult[]
      isSilent = false
      if (results.at(-1)?.rows[0].read_only === 'on') throw new Error('the database is read-only')
    } catch (problem) {
      const isStalled = monotonicMs() - startedMs > answerWithinMs + stallMs
      isSilent = isTimeout(problem) && !isStalled
      throw problem
    }
  }
  const ping = () => {
    pinging ??= askServer().finally(() => {
      pinging = undefined
    })
    return pinging
  }

  function closeWaiting(): void {
    const commitsBefore = monotonicMs() - commitWithinMs
    for (const client of inUse) {
      const commitMs = committing.get(client)
      if (isSilent && (commitMs === undefined || commitMs < commitsBefore))
        streamOf(client).destroy(new DatabaseSilent('the database does not answer'))
    }
  }

  const timer = setInterval(() => {
    const nowMs = monotonicMs()
    if (!isSilent && pool.totalCount === pool.idleCount) lastAnswerMs = nowMs
    if (!isSilent && nowMs - lastAnswerMs < suspectAfterMs) return
    void ping().catch(closeWaiting)
  }, tickMs)
  timer.unref()

  return {
    check: () => {
      if (isSilent) throw new DatabaseSilent('the database does not answer')
    },
    ping,
    close: async () => {
      clearInterval(timer)
      await probes.end()
    },
  }
}

/** The socket of a connection. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
