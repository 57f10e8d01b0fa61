import type { Mode } from '#base/config/config.ts'
import { after } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { OriginPools } from '#base/net/pool.ts'
import type { Traces } from '#base/traces/open.ts'
import { batched } from '#data/db/batch.ts'
import type { DbParts } from '#data/db/db.ts'
import type { DeliveryFigures } from './delivery-figures.ts'
import { type FairQueue, openFairQueue } from './fair-queue.ts'
import { readRetryAfter, waitAfter } from './schedule.ts'
import { type SendResult, sendMsMax, sendWebhook } from './send.ts'
import { signatureHeaders } from './sign.ts'
import { warnOfSilentAddresses } from './silent-addresses.ts'
import { type AttemptRow, insertAttempts, type Job, releaseDeliveries } from './store.ts'

export interface DispatchParts extends DbParts {
  log: Log
  mode: Mode
  pools: OriginPools
  /** Draws the jitter of the retries. */
  random?: () => number
  figures: DeliveryFigures
  traces?: Traces | undefined
  /** A client's signing secrets, the newest first. */
  secretsOf(clientId: number): Promise<string[]>
}

// A try that could outlast its lease is not started, and falls due again.
const leaseLeftMinMs = sendMsMax + 5000

// No caller waits for the recording, so it lingers to fill its batches. A process that dies before
// it leaves deliveries that are sent once more, like those whose answer had not arrived.
const recordBatches = {
  name: 'webhook_tries',
  groupSizeMax: 500,
  concurrentGroupsMax: 1,
  queueSizeMax: 10_000,
  lingerMs: 40,
}

/**
 * Sends deliveries that are leased to this process, within the limits of each endpoint and each
 * client. A delivery that finds its queue full, or too little of its lease left, falls due again;
 * those that wait when the process stops are due at once, for another one.
 */
export function openDispatcher(parts: DispatchParts): FairQueue<Job> {
  const { db, clock, log } = parts
  const warnOfSilence = warnOfSilentAddresses(log, parts.mode)
  const record = batched(async (attempts: AttemptRow[]) => {
    await insertAttempts(db, attempts, clock.now())
    return attempts
  }, recordBatches)
  const recordings = new Set<Promise<unknown>>()
  const keep = (recording: Promise<unknown>) => {
    recordings.add(recording)
    void recording.then(() => recordings.delete(recording))
  }
  // A failure leaves a row that falls due again.
  const logFailure = (job: Job) => (problem: unknown) => {
    log.error({ err: problem, deliveryId: job.id }, 'a delivery could not be made or recorded')
    return undefined
  }
  const queue = openFairQueue<Job>({
    laneOf: ({ clientId, endpoint }) => ({
      client: String(clientId),
      endpoint: `${clientId} ${endpoint}`,
    }),
    run: async (job) => {
      if (after(clock.now(), leaseLeftMinMs) > job.leaseEndsAt) return
      const attempt = await deliver(parts, job).catch(logFailure(job))
      if (attempt === undefined) return
      parts.figures.count(attempt, clock.now())
      if (attempt.httpStatus === null) warnOfSilence(job.url, attempt.problem ?? 'no answer')
      // Not awaited: the endpoint's slot is free as soon as the receiver has answered.
      keep(record(attempt).catch(logFailure(job)))
    },
    giveBack: (jobs) =>
      keep(
        releaseDeliveries(db, jobs, clock.now()).catch((problem: unknown) =>
          log.error({ err: problem }, 'deliveries wait for the end of their lease'),
        ),
      ),
  })
  const flush = async () => void (await Promise.all(recordings))
  return {
    ...queue,
    drain: () => queue.drain().then(flush),
    stop: () => queue.stop().then(flush),
  }
}

/**
 * Sends a delivery once and returns the attempt to record. None, if the client's connections or
 * lookups were all taken for too long: the delivery falls due again, and no try is counted.
 */
async function deliver(parts: DispatchParts, job: Job): Promise<AttemptRow | undefined> {
  const at = parts.clock.now()
  // The message with a code that came later is another one than that without it.
  const id = `evt_${job.eventId}${job.isCompleted ? '.code' : ''}`
  const headers = signatureHeaders(
    { id, sentAt: at, body: job.body },
    await parts.secretsOf(job.clientId),
  )
  const { pools, mode, traces } = parts
  const { url, body } = job
  const owner = String(job.clientId)
  const number = job.tries + 1
  const send = (traceparent?: string) => {
    if (traceparent !== undefined) headers.traceparent = traceparent
    return sendWebhook({ pools, owner, mode, url, headers, body })
  }
  const sent = await (traces === undefined
    ? send()
    : traces.during({ id: job.recordId }, describeTry(job), send, describeResult))
  if (!sent.isTried) {
    parts.log.info({ deliveryId: job.id, number, problem: sent.problem }, 'a webhook must wait')
    return undefined
  }
  const attempt = {
    clientId: job.clientId,
    deliveryId: job.id,
    number,
    at,
    httpStatus: sent.status,
    durationMs: sent.durationMs,
    problem: sent.problem,
    excerpt: sent.excerpt,
    ...nextStateOf(sent, number, parts),
  }
  const { clientId, deliveryId, httpStatus, durationMs, problem, state } = attempt
  // Deliveries that succeed are many, and the database has each of them: debug level only.
  parts.log[state === 'delivered' ? 'debug' : 'info'](
    { clientId, deliveryId, eventId: job.eventId, number, httpStatus, durationMs, problem, state },
    'webhook',
  )
  return attempt
}

function describeTry({ clientId, tries }: Job) {
  const attributes = {
    'http.request.method': 'POST',
    'http.request.resend_count': tries === 0 ? undefined : tries,
    'passerelle.client_id': clientId,
  }
  return { name: 'webhook', kind: 'client' as const, attributes }
}

function describeResult({ isTried, status }: SendResult) {
  const hasFailed = status === null || status >= 300
  const problem = isTried ? 'no answer' : 'not tried'
  return {
    attributes: { 'http.response.status_code': status ?? undefined },
    error: hasFailed ? String(status ?? problem) : undefined,
  }
}

/** 2xx is delivered and 410 stops; anything else is retried until the schedule ends. */
function nextStateOf(
  { status, retryAfter }: SendResult,
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
