import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway, startWebhookReceiver, type WebhookReceiver } from './child-processes.ts'
import { type DatabaseMonitor, openDatabaseMonitor } from './database-statistics.ts'
import { describeMachine } from './machine-description.ts'
import { readCurveOptions, readOptionsOrExit } from './options.ts'
import { openPgbench, type Pgbench } from './pgbench.ts'
import { countSleeps, findRootPids, type RootPids, startCpuMeter } from './process-usage.ts'
import { openProgress } from './progress.ts'
import { keepResult, resultsFolder } from './results-folder.ts'
import { runRound } from './round.ts'
import { demoCollections, lifeScenario } from './scenarios.ts'
import { median, round } from './statistics.ts'

const usage = `npm run bench curve -- [--seconds 20] [--rounds 3]

What a whole life of a payment costs at the rates of real users: payments at their scheduled times,
10 to 400 a second and as fast as they go, each in turn with TPC-B at the same rate on the same
PostgreSQL. Processor time is what is used beyond an idle gateway.`
const options = readOptionsOrExit({ program: 'bench curve', usage }, readCurveOptions)

/** Payments a second; null: as fast as they go. */
const rates = [10, 50, 150, 400, null]
const clients = 64
const warmUpSeconds = 60

/** Processor time of a second, and wake-ups of the gateway, while nobody pays. */
interface Idle {
  gatewayMs: number
  postgresMs: number
  wakeUps: number
}

const progress = openProgress()
const startedAt = new Date()
const machine = describeMachine()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-curve-'))
const receiver = await startWebhookReceiver()
try {
  const gateway = await startGateway({ dataDir: folder })
  try {
    const database = await openDatabaseMonitor(gateway.socketFolder)
    const pgbench = await openPgbench(gateway.socketFolder)
    const roots = findRootPids(folder, gateway.pid, { sink: receiver.pid })
    const result = await measureAll({ gateway, database, pgbench, roots, receiver })
    await database.close()
    await keepResult(startedAt, 'curve.json', { startedAt, machine, options, ...result })
    console.log(`Idle, a second: ${JSON.stringify(result.idle)}`)
    console.table(result.table)
    console.log(`Kept in ${resultsFolder}`)
  } finally {
    await gateway.stop()
  }
} finally {
  await receiver.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

interface Parts {
  gateway: { url: string; pid: number }
  database: DatabaseMonitor
  pgbench: Pgbench
  roots: RootPids
  receiver: WebhookReceiver
}

async function measureAll(parts: Parts) {
  progress.now('warming up')
  await measure(parts, { rate: null, name: 'warm', seconds: warmUpSeconds })
  progress.now('idle')
  // What payments leave to do, such as summing up, is over by then.
  await sleep(5000)
  const idle = await measureIdle(parts, options.seconds)
  const rounds: Awaited<ReturnType<typeof measure>>[][] = []
  for (let number = 1; number <= options.rounds; number += 1)
    for (const [index, rate] of rates.entries()) {
      progress.now(`${number}/${options.rounds}: ${rate ?? 'as many as go'}`)
      const one = await measure(parts, { rate, name: String(number), seconds: options.seconds })
      ;(rounds[index] ??= []).push(one)
    }
  return { idle, rounds, table: rounds.map((same) => rowOf(same, idle)) }
}

async function measureIdle({ roots, gateway }: Parts, seconds: number): Promise<Idle> {
  const readCpu = startCpuMeter(roots)
  const before = countSleeps(gateway.pid)
  await sleep(seconds * 1000)
  const { gateway: gatewayMs = 0, postgres = 0 } = readCpu()
  const each = (value: number) => round(value / seconds, 1)
  return {
    gatewayMs: each(gatewayMs),
    postgresMs: each(postgres),
    wakeUps: each(countSleeps(gateway.pid) - before),
  }
}

interface Load {
  rate: number | null
  name: string
  seconds: number
}

/** Payments at a rate, then TPC-B at the same. */
async function measure(parts: Parts, { rate, name, seconds }: Load) {
  const { gateway, database, pgbench, roots, receiver } = parts
  const sleepsBefore = countSleeps(gateway.pid)
  const label = `curve-${startedAt.getTime().toString(36)}-${name}-${rate ?? 'peak'}`
  const job = { url: gateway.url, clients, seconds, rate, name: label }
  const shared = { scenario: lifeScenario, requestsTo: demoCollections, receiver, database, roots }
  const done = await runRound({ ...shared, job, progress: () => {} })
  const sleeps = countSleeps(gateway.pid) - sleepsBefore
  const toWebhook = await readTimesToWebhook(database, label)
  const readCpu = startCpuMeter(roots)
  const tpcbRate = await pgbench(Math.min(seconds, 10), rate ?? undefined)
  const transactions = (tpcbRate ?? 0) * Math.min(seconds, 10)
  const tpcbMs = transactions === 0 ? null : (readCpu().postgres ?? 0) / transactions
  return { done, sleeps, toWebhook, tpcbRate, tpcbMs }
}

/** From the request to the answer of the merchant's server to the first webhook. */
async function readTimesToWebhook({ query }: DatabaseMonitor, label: string) {
  const [row] = await query(
    `select percentile_cont(array[0.5, 0.95, 0.99]) within group (
        order by extract(epoch from d.ended_at - t.created_at) * 1000) as ms
      from transactions t
      join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
      join deliveries d on (d.client_id, d.event_id) = (e.client_id, e.id)
      where t.external_id like $1 and d.ended_at is not null`,
    [`${label}-%`],
  )
  const [p50 = 0, p95 = 0, p99 = 0] = (row?.ms as number[] | null) ?? []
  return { p50: Math.round(p50), p95: Math.round(p95), p99: Math.round(p99) }
}

function rowOf(same: Awaited<ReturnType<typeof measure>>[], idle: Idle) {
  const middle = (read: (one: (typeof same)[number]) => number, digits = 2) =>
    round(median(same.map(read)), digits)
  const beyondIdle = (name: 'gateway' | 'postgres', idleMs: number) =>
    middle(({ done }) => (done.cpuMsEach[name] ?? 0) - (idleMs * done.seconds) / done.done)
  return {
    'a second': middle(({ done }) => done.perSecond, 0),
    'init p50': middle(({ done }) => done.latency.p50, 1),
    'init p99': middle(({ done }) => done.latency.p99, 1),
    'webhook p50': middle(({ toWebhook }) => toWebhook.p50, 0),
    'webhook p99': middle(({ toWebhook }) => toWebhook.p99, 0),
    'gateway ms': beyondIdle('gateway', idle.gatewayMs),
    'postgres ms': beyondIdle('postgres', idle.postgresMs),
    'TPC-B ms': middle(({ tpcbMs }) => tpcbMs ?? 0),
    commits: middle(({ done }) => done.commitsEach ?? 0),
    rows: middle(({ done }) => done.rowsEach ?? 0, 1),
    'WAL kB': middle(({ done }) => done.walBytesEach / 1024, 1),
    'wake-ups': middle(({ done, sleeps }) => sleeps / done.done, 1),
    'share of TPC-B': middle(({ done, tpcbRate }) => done.perSecond / (tpcbRate ?? Infinity)),
  }
}
