import type { Dispatcher } from 'undici'
import { batched } from '../kit/batch.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Mode } from '../kit/config.ts'
import type { Db } from '../kit/db.ts'
import type { Log } from '../kit/log.ts'
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
  agent: Dispatcher
  /** Spreads tries over time. */
  random?: () => number
  secretsOf(clientId: number): Promise<string[]>
}

export interface WebhookDispatcher {
  /** Takes deliveries that are leased to this process; what does not fit falls due again. */
  offer(jobs: Job[]): void
  /** Endpoints that have enough to do. */
  busy(): string[]
  /** Waits until everything that was taken has been tried. */
  drain(): Promise<void>
  /** Ends after the deliveries under way. */
  stop(): Promise<void>
}

// A receiver that hangs keeps its own places busy and nobody else's.
const endpointInFlightMax = 8
const clientInFlightMax = 32
const endpointQueueMax = 500
// A try takes up to 10 s: one that could outlast its lease is left to whoever claims it next.
const tryMs = 15_000

/** Sends webhooks, each endpoint and each client within its own bounds. */
export function openDispatcher(parts: DispatchParts): WebhookDispatcher {
  const { db, clock, log } = parts
  const queues = new Map<string, Job[]>()
  const inFlight = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  let isStopping = false
  const record = batched((attempts: AttemptRow[]) =>
    db.transaction(async (tx) => {
      await insertAttempts(tx, attempts, clock.now())
      return attempts
    }),
  )
  const count = (key: string, by: number) => {
    const now = (inFlight.get(key) ?? 0) + by
    if (now === 0) inFlight.delete(key)
    else inFlight.set(key, now)
  }

  function startNext(endpoint: string): void {
    const queue = queues.get(endpoint)
    while (queue !== undefined && !isStopping) {
      const [job] = queue
      if (job === undefined) {
        queues.delete(endpoint)
        return
      }
      const client = String(job.clientId)
      if ((inFlight.get(endpoint) ?? 0) >= endpointInFlightMax) return
      if ((inFlight.get(client) ?? 0) >= clientInFlightMax) return
      queue.shift()
      if (after(clock.now(), tryMs) > job.leaseEndsAt) continue
      run(job, endpoint, client)
    }
  }

  function run(job: Job, endpoint: string, client: string): void {
    count(endpoint, 1)
    count(client, 1)
    const going = deliver(parts, job)
      .then(record)
      .then(() => {})
      .catch((problem: unknown) => {
        log.error({ err: problem, deliveryId: job.id }, 'a delivery could not be recorded')
      })
      .finally(() => {
        underWay.delete(going)
        count(endpoint, -1)
        count(client, -1)
        startNext(endpoint)
        // The client's other endpoints may have waited for this place.
        for (const other of queues.keys()) if (other.startsWith(`${client} `)) startNext(other)
      })
    underWay.add(going)
  }

  return {
    offer: (jobs) => {
      for (const job of jobs) {
        const endpoint = `${job.clientId} ${job.endpoint}`
        const queue = queues.get(endpoint) ?? []
        if (queue.length >= endpointQueueMax) continue
        queues.set(endpoint, queue)
        queue.push(job)
        startNext(endpoint)
      }
    },
    busy: () =>
      [...queues].filter(([, queue]) => queue.length >= endpointQueueMax / 2).map(([key]) => key),
    drain: async () => {
      while (underWay.size > 0) await Promise.race(underWay)
    },
    stop: async () => {
      isStopping = true
      await Promise.all(underWay)
    },
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
  const { agent, mode } = parts
  const sent = await sendWebhook({ agent, mode, url: job.url, headers, body: job.body })
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
  parts.log.info(
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
