import type { DatabaseWatch, Statement } from './database.ts'
import type { Latency } from './figures.ts'
import { round, sum } from './figures.ts'
import type { Job, LoadReport } from './load.ts'
import { quietSilent } from './prepare.ts'
import type { CpuMs, Held, Roots } from './processes.ts'
import { heldBy, meterCpu } from './processes.ts'
import type { Sink } from './programs.ts'
import { runLoad, webhooksAt } from './programs.ts'
import type { Scenario } from './scenarios.ts'
import type { Received } from './sink.ts'

/**
 * Whole lives under way at a time, at most: enough for what two cores do with a provider that takes
 * a second. Without a bound new payments crowd out the ends of those before them, and the gateway
 * begins to ask after those.
 */
export const openMax = 2600

/** What one round of a scenario showed. "Each" is each payment, or each request that only reads. */
export interface Round {
  /** Requests answered well, and what else happened. */
  answered: number
  errors: number
  errorKinds: Record<string, number>
  /** What counts: answers, or payments whose webhook came. */
  done: number
  /** From the first request to the last answer or webhook. */
  seconds: number
  /** While as much came as went: answers, or webhooks from the first one to the end of the load. */
  perSecond: number
  latency: Latency
  cpuMsEach: CpuMs
  /** Of the gateway, at the end. */
  held: Held
  commitsEach: number | null
  rowsEach: number | null
  walBytesEach: number
  transactionsEach: number
  statements: Statement[]
}

export interface RoundParts {
  scenario: Scenario
  job: Omit<Job, 'requests' | 'status' | 'webhooks'>
  requestsTo(webhookUrl: string): Pick<Job, 'requests' | 'status'>
  sink: Sink
  database: DatabaseWatch
  roots: Roots
  progress(text: string): void
}

/** Runs a scenario once and measures it from the first request to the last consequence. */
export async function runRound(parts: RoundParts): Promise<Round> {
  const { scenario, sink, database, roots, progress } = parts
  const address = `/${parts.job.name}`
  const webhookUrl = sink.url + address
  const webhooks = scenario.isWholeLife ? { url: webhookUrl, openMax } : null
  const job = { ...parts.job, ...parts.requestsTo(webhookUrl), webhooks }
  const readWork = await database.count()
  const readCpu = meterCpu(roots)
  const load = await runLoad(job, (answered) => progress(`${answered} answered`))
  const received = scenario.isWholeLife ? await webhooksAt(sink, address, load.answered) : undefined
  const cpuMs = { ...readCpu(), load: load.cpuMs }
  const held = heldBy('gateway', roots)
  const work = await readWork()
  if (scenario.leavesSilent) await quietSilent(database.query)
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

/**
 * Webhooks a second from the first of them to the end of the load. As many payments are under way
 * at both ends, so what is counted is whole lives; the provider's own second, in which a round only
 * begins or ends, is not in it. Undefined when there was no such time.
 */
export function steadyRate(
  { webhooks }: Pick<LoadReport, 'webhooks'>,
  received: Pick<Received, 'firstMs'> | undefined,
): number | undefined {
  if (webhooks === null || received === undefined || webhooks.count === 0) return undefined
  const ms = webhooks.atMs - received.firstMs
  return ms < 1000 ? undefined : (webhooks.count * 1000) / ms
}
