import type pg from 'pg'
import { monotonicMs } from '#base/kit/clock.ts'
import { CommitUnknown, DatabaseSilent, isTimeout } from './errors.ts'
import { Pool } from './pool.ts'
import { streamOf } from './stream-of.ts'
import { watchCommits } from './watch-commits.ts'

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
// A connection that is in use for so many ticks may have a commit that waits for a standby: the
// server is asked, at every fourth tick.
const longUseTicks = 20
const askEveryTicks = 4

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
  /** Whether commits are blocked, no standby confirming them: only what reads is of use. */
  isUnconfirmed(): boolean
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
  const questions = openQuestions(config)
  const inUse = trackUse(pool)
  const commits = watchCommits(questions, inUse.since)
  let isSilent = false
  let unansweredMs = 0
  const lateness = countLateness()

  /** Asks whether the server answers at all, which takes no disk: a slow one is not silence. */
  const listen = oneAtATime(async () => {
    lateness.begin()
    try {
      await questions.query('select 1')
      isSilent = false
      unansweredMs = 0
      inUse.answered()
    } catch (problem) {
      unansweredMs = isTimeout(problem) ? unansweredMs + lateness.awakeMs(answerWithinMs) : 0
      isSilent = unansweredMs >= awakeMsMin
      if (isSilent) leave()
    }
  })
  /** Closes the connections that wait. */
  function leave(): void {
    const commitsBefore = monotonicMs() - commitWithinMs
    for (const client of inUse.since.keys()) {
      const commitMs = committing.get(client)
      if (commitMs === undefined || commitMs < commitsBefore)
        streamOf(client).destroy(new DatabaseSilent('the database does not answer'))
    }
  }
  const askCommits = oneAtATime(commits.ask)
  const ping = oneAtATime(async () => {
    if (commits.isUnconfirmed()) throw new CommitUnknown('commits wait for the standby')
    const results = (await questions.query(writeProbe)) as unknown as pg.QueryResult[]
    if (results.at(-1)?.rows[0].read_only === 'on') throw new Error('the database is read-only')
  })

  const timer = setInterval(() => {
    lateness.tick(monotonicMs())
    const isSuspicious = inUse.tick()
    if (isSilent || isSuspicious) void listen()
    if (!isSilent && (commits.isUnconfirmed() || inUse.isLong())) void askCommits().catch(() => {})
  }, tickMs)
  timer.unref()

  return {
    check: () => {
      if (isSilent) throw new DatabaseSilent('the database does not answer')
    },
    isUnconfirmed: commits.isUnconfirmed,
    ping,
    close: async () => {
      clearInterval(timer)
      await questions.end()
      await questions.sessionsEnd()
    },
  }
}

/** Two connections: a question that takes the disk does not delay the others. */
function openQuestions(config: pg.PoolConfig): Pool {
  return new Pool({
    ...config,
    max: 2,
    pipeline: false,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  })
}

/** Which connections of a pool are in use, since which tick, and whether any was answered. */
function trackUse(pool: pg.Pool) {
  const since = new Map<pg.PoolClient, number>()
  let ticks = 0
  let lastAnswerMs = monotonicMs()
  pool.on('acquire', (client) => void since.set(client, ticks))
  pool.on('release', (problem, client) => {
    since.delete(client)
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- undefined when all went well
    if (!problem) lastAnswerMs = monotonicMs()
  })
  return {
    since,
    answered: () => {
      lastAnswerMs = monotonicMs()
    },
    /** Whether the pool is in use and nothing was answered for so long that it is suspicious. */
    tick: () => {
      ticks += 1
      const nowMs = monotonicMs()
      if (pool.totalCount === pool.idleCount) lastAnswerMs = nowMs
      return nowMs - lastAnswerMs > suspectAfterMs
    },
    isLong: () =>
      ticks % askEveryTicks === 0 &&
      [...since.values()].some((tick) => ticks - tick >= longUseTicks),
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
