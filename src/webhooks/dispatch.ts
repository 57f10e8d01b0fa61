import type { Mode } from '../config/config.ts'
import { batched } from '../db/batch.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { OriginPools } from '../net/pool.ts'
import type { FairQueue } from './fair-queue.ts'
import { openFairQueue } from './fair-queue.ts'
import { readRetryAfter, waitAfter } from './schedule.ts'
import type { Sent } from './send.ts'
import { sendWebhook } from './send.ts'
import { signatureHeaders } from './sign.ts'
import type { AttemptRow, Job } from './store.ts'
import { insertAttempts } from './store.ts'

export interface DispatchParts {
  db: Db
  clock: Clock
  log: Log
  mode: Mode
  pools: OriginPools
  /** Spreads tries over time. */
  random?: () => number
  secretsOf(clientId: number): Promise<string[]>
}

// A try takes up to 10 s: one that could outlast its lease is left to whoever claims it next.
const tryMs = 15_000

// Nobody waits for what is written down here. A process that dies meanwhile leaves deliveries that
// are made once more, like those whose answer was under way.
const together = { groupSizeMax: 500, concurrentGroupsMax: 1, queueSizeMax: 10_000, lingerMs: 40 }

/**
 * Takes deliveries that are leased to this process and makes them, each endpoint and each client
 * within its own bounds. What does not fit, or comes too late, falls due again.
 */
export function openDispatcher(parts: DispatchParts): FairQueue<Job> {
  const { db, clock, log } = parts
  const record = batched(async (attempts: AttemptRow[]) => {
    await insertAttempts(db, attempts, clock.now())
    return attempts
  }, together)
  const recording = new Set<Promise<unknown>>()
  // What goes wrong here leaves a row that falls due again.
  const complain = (job: Job) => (problem: unknown) => {
    log.error({ err: problem, deliveryId: job.id }, 'a delivery could not be made or recorded')
    return undefined
  }
  const queue = openFairQueue<Job>({
    laneOf: ({ clientId, endpoint }) => ({
      client: String(clientId),
      endpoint: `${clientId} ${endpoint}`,
    }),
    run: async (job) => {
      if (after(clock.now(), tryMs) > job.leaseEndsAt) return
      const attempt = await deliver(parts, job).catch(complain(job))
      if (attempt === undefined) return
      // The receiver's place is free once it has answered: writing that down goes on beside it.
      const kept = record(attempt)
        .catch(complain(job))
        .finally(() => recording.delete(kept))
      recording.add(kept)
    },
  })
  const settle = async () => void (await Promise.all(recording))
  return {
    ...queue,
    drain: () => queue.drain().then(settle),
    stop: () => queue.stop().then(settle),
  }
}

/** Makes one try and says what has to be kept of it. */
async function deliver(parts: DispatchParts, job: Job): Promise<AttemptRow> {
  const at = parts.clock.now()
  const id = `evt_${job.eventId}`
  const headers = signatureHeaders(
    { id, sentAt: at, body: job.body },
    await parts.secretsOf(job.clientId),
  )
  const { pools, mode } = parts
  const sent = await sendWebhook({ pools, mode, url: job.url, headers, body: job.body })
  const number = job.tries + 1
  const attempt = {
    clientId: job.clientId,
    deliveryId: job.id,
    number,
    at,
    httpStatus: sent.status,
    durationMs: sent.durationMs,
    problem: sent.problem,
    excerpt: sent.excerpt,
    ...nextOf(sent, number, parts),
  }
  const { clientId, deliveryId, httpStatus, durationMs, problem, state } = attempt
  // Those that arrive are many, and each is kept in the database.
  parts.log[state === 'delivered' ? 'debug' : 'info'](
    { clientId, deliveryId, eventId: job.eventId, number, httpStatus, durationMs, problem, state },
    'webhook',
  )
  return attempt
}

/** Delivered is 2xx, 410 stops; anything else is tried again until the schedule ends. */
function nextOf(
  { status, retryAfter }: Sent,
  tries: number,
  { clock, random }: DispatchParts,
): Pick<AttemptRow, 'state' | 'dueAt'> {
  const now = clock.now()
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', dueAt: null }
  if (status === 410) return { state: 'stopped', dueAt: null }
  const waitMs = waitAfter(tries, readRetryAfter(retryAfter, now), random)
  if (waitMs === undefined) return { state: 'exhausted', dueAt: null }
  return { state: 'pending', dueAt: after(now, waitMs) }
}
