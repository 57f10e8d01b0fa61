import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHttpPool, type SentRequest } from './http-pool.ts'
import type { LoadJob, LoadReport, RequestTemplate } from './load-job.ts'
import { summarizeLatency } from './statistics.ts'

// A program of its own: reads a LoadJob from standard input, sends its requests, and writes its
// progress each second and a LoadReport at the end to standard output, a line of JSON each.

const job = JSON.parse(await text(process.stdin)) as LoadJob
const pool = openHttpPool(job.url, job.clients)
const durationsMs: number[] = []
const errors: Record<string, number> = {}
let sent = 0
let failed = 0
let received = 0
let receivedAtMs = 0
let nextCount = Promise.withResolvers<void>()

const cpuBefore = process.cpuUsage()
const startedMs = performance.now()
const endMs = startedMs + job.seconds * 1000
const reporting = setInterval(
  () => console.log(JSON.stringify({ answered: durationsMs.length, errors })),
  1000,
)
const stopCounting = job.webhooks === null ? () => {} : startCounting(job.webhooks.url)
await (job.rate === null ? runClosedLoop(job.clients) : runOpenLoop(job.rate))
clearInterval(reporting)
stopCounting()
const tookMs = performance.now() - startedMs
const { user, system } = process.cpuUsage(cpuBefore)
const report: LoadReport = {
  startedMs: performance.timeOrigin + startedMs,
  seconds: tookMs / 1000,
  answered: durationsMs.length,
  errors,
  latency: summarizeLatency(durationsMs),
  webhooks:
    job.webhooks === null ? null : { count: received, atMs: performance.timeOrigin + receivedAtMs },
  cpuMs: (user + system) / 1000,
}
console.log(JSON.stringify({ report }))
pool.close()

/**
 * Each client sends its next request after the response to its last one, and only while fewer
 * payments are open than the job allows.
 */
async function runClosedLoop(clients: number): Promise<void> {
  const openPaymentsMax = job.webhooks?.openPaymentsMax ?? Number.POSITIVE_INFINITY
  const callers = Array.from({ length: clients }, async () => {
    while (performance.now() < endMs)
      if (sent - failed - received < openPaymentsMax) await send(performance.now())
      else await nextCount.promise
  })
  await Promise.all(callers)
}

/** Asks the webhook receiver for its count every 20 ms; the returned function stops it. */
function startCounting(url: string): () => void {
  const { pathname: path } = new URL(url)
  const receiver = openHttpPool(url, 1)
  const counting = setInterval(() => void count(), 20)
  async function count(): Promise<void> {
    const { body, problem } = await receiver.send({ method: 'GET', path, headers: {} })
    if (problem !== undefined) throw new Error(`webhooks cannot be counted: ${problem}`)
    // Webhooks that arrive after the load has ended do not count towards its rate.
    if (performance.now() < endMs) {
      received = (JSON.parse(body) as { count: number }).count
      receivedAtMs = performance.now()
    }
    nextCount.resolve()
    nextCount = Promise.withResolvers<void>()
  }
  return () => {
    clearInterval(counting)
    receiver.close()
  }
}

/**
 * Sends requests at a fixed rate. A request's latency counts from its scheduled time, so that the
 * waits caused by a stall of the gateway are included.
 */
async function runOpenLoop(rate: number): Promise<void> {
  const responses: Promise<void>[] = []
  const count = Math.round(rate * job.seconds)
  for (let index = 0; index < count; index += 1) {
    const scheduledMs = startedMs + (index * 1000) / rate
    const waitMs = scheduledMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    responses.push(send(scheduledMs))
  }
  await Promise.all(responses)
}

/** Sends the next request; its latency counts from `fromMs`. Only the status is looked at. */
async function send(fromMs: number): Promise<void> {
  sent += 1
  const template = job.requests[sent % job.requests.length]
  if (template === undefined) throw new Error('a job without requests')
  const { status, body, problem } = await pool.send(fill(template, sent))
  if (status === job.status) durationsMs.push(performance.now() - fromMs)
  else {
    failed += 1
    const kind = problem ?? describeRefusal(status, body)
    errors[kind] = (errors[kind] ?? 0) + 1
  }
}

function fill({ method, path, headers, body }: RequestTemplate, number: number): SentRequest {
  const n = `${job.name}-${number}`
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return {
    method,
    path: path.replace('{n}', n),
    headers:
      headers['x-forwarded-for'] === '{n}' ? { ...headers, 'x-forwarded-for': address } : headers,
    body: body?.replace('{n}', n) ?? null,
  }
}

/** Status and message of a refused request, with ids removed: refusals are counted by this text. */
function describeRefusal(status: number, body: string): string {
  const [, message = body.slice(0, 160)] = /"message":(.*?),"success"/.exec(body) ?? []
  return `${status} ${message.replaceAll(/[\da-f-]{8,}/g, '…')}`
}
