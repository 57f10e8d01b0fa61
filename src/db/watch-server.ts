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
// Of that time, our own process must have been running for so much: one that was not, on a busy
// machine, may have had no time to read the answer, and asks again.
const awakeMsMin = 2400

// Fails when the disk is full, by writing 1 MB to a temporary file; changes nothing.
const writeProbe = `
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
  // One connection for each of the two questions.
  const questions = new pg.Pool({
    ...config,
    max: 2,
    pipeline: false,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  })
  questions.on('error', () => {})
  questions.on('connect', (client) => void client.on('error', () => {}))
  const inUse = new Set<pg.PoolClient>()
  let lastAnswerMs = monotonicMs()
  let isSilent = false
  let unansweredMs = 0
  const lateness = countLateness()
  pool.on('acquire', (client) => void inUse.add(client))
  pool.on('release', (problem, client) => {
    inUse.delete(client)
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- undefined when all went well
    if (!problem) lastAnswerMs = monotonicMs()
  })

  /** Asks whether the server answers at all, which takes no disk: a slow one is not silence. */
  const listen = oneAtATime(async () => {
    lateness.begin()
    try {
      await questions.query('select 1')
      isSilent = false
      unansweredMs = 0
      lastAnswerMs = monotonicMs()
    } catch (problem) {
      unansweredMs = isTimeout(problem) ? unansweredMs + lateness.awakeMs(answerWithinMs) : 0
      isSilent = unansweredMs >= awakeMsMin
      closeWaiting()
    }
  })
  const ping = oneAtATime(async () => {
    const results = (await questions.query(writeProbe)) as unknown as pg.QueryResult[]
    if (results.at(-1)?.rows[0].read_only === 'on') throw new Error('the database is read-only')
  })

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
    lateness.tick(nowMs)
    if (!isSilent && pool.totalCount === pool.idleCount) lastAnswerMs = nowMs
    if (isSilent || nowMs - lastAnswerMs > suspectAfterMs) void listen()
  }, tickMs)
  timer.unref()

  return {
    check: () => {
      if (isSilent) throw new DatabaseSilent('the database does not answer')
    },
    ping,
    close: async () => {
      clearInterval(timer)
      await questions.end()
    },
  }
}

/** By how much the ticks were late since the beginning: so long this process did not run. */
function countLateness() {
  let lastMs = monotonicMs()
  let lateMs = 0
  return {
    begin: () => {
      lateMs = 0
    },
    tick: (nowMs: number) => {
      lateMs += Math.max(0, nowMs - lastMs - tickMs)
      lastMs = nowMs
    },
    /** How much of a time since then it ran. */
    awakeMs: (ms: number) => Math.max(0, ms - lateMs),
  }
}

/** Calls made while the work is under way share its result. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let going: Promise<void> | undefined
  return () => {
    going ??= work().finally(() => {
      going = undefined
    })
    return going
  }
}

/** The socket of a connection. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
