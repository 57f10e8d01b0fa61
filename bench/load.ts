import { text } from 'node:stream/consumers'
import type { Latency } from './figures.ts'
import { latencyOf } from './figures.ts'
import { openLines } from './lines.ts'
import { refusalOf, requestWriter } from './messages.ts'

/** A request; `{n}` in its path or body becomes another text each time. */
export interface RequestTemplate {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/** What the load generator is given on standard input. */
export interface Job {
  url: string
  clients: number
  seconds: number
  rate: number | null
  /** Makes this job's texts for `{n}` its own. */
  name: string
  /** The status of a good answer. */
  status: number
  /**
   * Where the webhooks of this job can be counted: no more payments than `openMax` are then under
   * way at a time, as merchants whose payers pay one after the other. Null: none is waited for.
   */
  webhooks: { url: string; openMax: number } | null
  /** Sent in turn. */
  requests: RequestTemplate[]
}

export interface LoadReport {
  /** When the first request was sent, in milliseconds of the day's clock. */
  startedMs: number
  seconds: number
  answered: number
  /** Answers with another status, and requests without an answer, by what happened. */
  errors: Record<string, number>
  latency: Latency
  /** The last look at the job's webhooks, while there was still load. */
  webhooks: { count: number; atMs: number } | null
  /** Processor time of this process meanwhile. */
  cpuMs: number
}

const job = JSON.parse(await text(process.stdin)) as Job
const lines = openLines(job.url, job.clients)
const writers = job.requests.map((template) => requestWriter(template, new URL(job.url).host))
const durationsMs: number[] = []
const errors: Record<string, number> = {}
let sent = 0
let failed = 0
let received = 0
let receivedAtMs = 0
let counted = Promise.withResolvers<void>()

const cpu = process.cpuUsage()
const startedMs = performance.now()
const endMs = startedMs + job.seconds * 1000
const reporting = setInterval(
  () => console.log(JSON.stringify({ answered: durationsMs.length, errors })),
  1000,
)
const stopCounting = job.webhooks === null ? () => {} : countWebhooks(job.webhooks.url)
await (job.rate === null ? runClosed(job.clients) : runOpen(job.rate))
clearInterval(reporting)
stopCounting()
const tookMs = performance.now() - startedMs
const { user, system } = process.cpuUsage(cpu)
const report: LoadReport = {
  startedMs: performance.timeOrigin + startedMs,
  seconds: tookMs / 1000,
  answered: durationsMs.length,
  errors,
  latency: latencyOf(durationsMs),
  webhooks:
    job.webhooks === null ? null : { count: received, atMs: performance.timeOrigin + receivedAtMs },
  cpuMs: (user + system) / 1000,
}
console.log(JSON.stringify({ report }))
lines.close()

/** Each caller sends its next request when the last one is answered, and its turn has come. */
async function runClosed(clients: number): Promise<void> {
  const openMax = job.webhooks?.openMax ?? Number.POSITIVE_INFINITY
  const callers = Array.from({ length: clients }, async () => {
    while (performance.now() < endMs)
      if (sent - failed - received < openMax) await send(performance.now())
      else await counted.promise
  })
  await Promise.all(callers)
}

function countWebhooks(url: string): () => void {
  const { host, pathname } = new URL(url)
  const line = openLines(url, 1)
  const question = requestWriter({ method: 'GET', path: pathname, headers: {} }, host)('')
  const counting = setInterval(() => void count(), 20)
  async function count(): Promise<void> {
    const { body, problem } = await line.send(question)
    if (problem !== undefined) throw new Error(`webhooks cannot be counted: ${problem}`)
    // Once no more is sent, what still comes is of a load that is over.
    if (performance.now() < endMs) {
      received = (JSON.parse(body) as { count: number }).count
      receivedAtMs = performance.now()
    }
    counted.resolve()
    counted = Promise.withResolvers<void>()
  }
  return () => {
    clearInterval(counting)
    line.close()
  }
}

/**
 * Requests leave at a steady rate. What counts is the time from the moment a request was meant to
 * leave: when the gateway stalls, those that had to wait count too.
 */
async function runOpen(rate: number): Promise<void> {
  const going: Promise<void>[] = []
  const count = Math.round(rate * job.seconds)
  for (let one = 0; one < count; one += 1) {
    const meantMs = startedMs + (one * 1000) / rate
    const waitMs = meantMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    going.push(send(meantMs))
  }
  await Promise.all(going)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** Sends the next request; its time counts from `fromMs`. Answers are not read, only counted. */
async function send(fromMs: number): Promise<void> {
  sent += 1
  const write = writers[sent % writers.length]
  const { status, body, problem } = await lines.send(write?.(`${job.name}-${sent}`) ?? '')
  if (status === job.status) durationsMs.push(performance.now() - fromMs)
  else {
    failed += 1
    const kind = problem ?? refusalOf(status, body)
    errors[kind] = (errors[kind] ?? 0) + 1
  }
}
