import { runLoad, type WebhookReceiver, waitForWebhooks } from './child-processes.ts'
import type { DatabaseMonitor, Statement } from './database-statistics.ts'
import { parkSilentPayments } from './gateway-database.ts'
import type { LoadJob, LoadReport } from './load-job.ts'
import {
  type CpuMs,
  type HeldResources,
  type RootPids,
  readHeldResources,
  startCpuMeter,
} from './process-usage.ts'
import type { Scenario } from './scenarios.ts'
import { type Latency, round, sum } from './statistics.ts'
import type { ReceivedWebhooks } from './webhook-receiver.ts'

/**
 * Payments open at a time in rounds of whole lives: enough for two cores and a provider that takes
 * a second. Without a bound new payments delay the completion of older ones, and the gateway starts
 * to query the provider about those.
 */
export const openPaymentsMax = 2600

/** The figures of one round. "Each" means per payment, or per request that only reads. */
export interface Round {
  /** Requests answered with the expected status. */
  answered: number
  errors: number
  errorKinds: Record<string, number>
  /** Payments whose webhook arrived, or responses in scenarios without webhooks. */
  done: number
  /** From the first request to the last response or webhook. */
  seconds: number
  /** The rate of webhooks in the steady state (see `steadyRate`), or of responses. */
  perSecond: number
  latency: Latency
  cpuMsEach: CpuMs
  /** What the gateway holds at the end of the round. */
  held: HeldResources
  commitsEach: number | null
  rowsEach: number | null
  walBytesEach: number
  transactionsEach: number
  statements: Statement[]
}

export interface RoundParts {
  scenario: Scenario
  job: Omit<LoadJob, 'requests' | 'status' | 'webhooks'>
  requestsTo(webhookUrl: string): Pick<LoadJob, 'requests' | 'status'>
  receiver: WebhookReceiver
  database: DatabaseMonitor
  roots: RootPids
  progress(text: string): void
}

/** Runs a scenario once and measures it from the first request to the last webhook. */
export async function runRound(parts: RoundParts): Promise<Round> {
  const { scenario, receiver, database, roots, progress } = parts
  const webhookPath = `/${parts.job.name}`
  const webhookUrl = receiver.url + webhookPath
  const webhooks = scenario.isWholeLife ? { url: webhookUrl, openPaymentsMax } : null
  const job = { ...parts.job, ...parts.requestsTo(webhookUrl), webhooks }
  const readWork = await database.startCount()
  const readCpu = startCpuMeter(roots)
  const load = await runLoad(job, (answered) => progress(`${answered} answered`))
  const received = scenario.isWholeLife
    ? await waitForWebhooks(receiver, webhookPath, load.answered)
    : undefined
  const cpuMs = { ...readCpu(), load: load.cpuMs }
  const held = readHeldResources('gateway', roots)
  const work = await readWork()
  if (scenario.leavesSilent) await parkSilentPayments(database.query)
  const done = received?.count ?? load.answered
  const seconds = received === undefined ? load.seconds : (received.lastMs - load.startedMs) / 1000
  const each = (value: number | null) => (value === null ? null : round(value / done, 3))
  return {
    answered: load.answered,
    errors: sum(Object.values(load.errors)),
    errorKinds: load.errors,
    done,
    seconds: round(seconds, 3),
    perSecond: round(steadyRate(load, received) ?? done / seconds, 1),
    latency: load.latency,
    cpuMsEach: Object.fromEntries(
      Object.entries(cpuMs).map(([name, ms]) => [name, round(ms / done, 3)]),
    ),
    held: { ...held, rssMb: round(held.rssMb, 1) },
    commitsEach: each(work.commits),
    rowsEach: each(work.inserted === null ? null : work.inserted + (work.updated ?? 0)),
    walBytesEach: Math.round(work.walBytes / done),
    transactionsEach: round(work.transactions / done, 3),
    statements: work.statements,
  }
}

/** Milliseconds of processor time that a payment takes of the gateway and its database. */
export function costOf({ cpuMsEach }: Round): number {
  return round((cpuMsEach.gateway ?? 0) + (cpuMsEach.postgres ?? 0), 3)
}

/**
 * Webhooks per second from the first webhook to the end of the load. About as many payments are
 * open at both ends, so this counts whole lives, and leaves out the second that the provider takes
 * at the start and the end of a round. Undefined without webhooks, or with less than a second.
 */
export function steadyRate(
  { webhooks }: Pick<LoadReport, 'webhooks'>,
  received: Pick<ReceivedWebhooks, 'firstMs'> | undefined,
): number | undefined {
  if (webhooks === null || received === undefined || webhooks.count === 0) return undefined
  const ms = webhooks.atMs - received.firstMs
  return ms < 1000 ? undefined : (webhooks.count * 1000) / ms
}
