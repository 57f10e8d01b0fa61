import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Gateway,
  startGateway,
  startWebhookReceiver,
  type WebhookReceiver,
} from './child-processes.ts'
import { openDatabaseMonitor } from './database-statistics.ts'
import { openGatewayDb } from './gateway-database.ts'
import { describeMachine } from './machine-description.ts'
import { type Options, readOptions, readOptionsOrExit } from './options.ts'
import { openPgbench, type Pgbench } from './pgbench.ts'
import { findRootPids } from './process-usage.ts'
import { openProgress, type Progress } from './progress.ts'
import { formatTable, type Measured, type Result, summarizeRounds } from './report.ts'
import { keepResult, resultsFolder, stampOf } from './results-folder.ts'
import { runRound } from './round.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { round } from './statistics.ts'

const usage = `npm run bench [NAME,NAME] -- [--clients 256] [--seconds 10] [--rounds 3]
  [--rate REQUESTS_PER_SECOND] [--history TRANSACTIONS] [--data FOLDER]
  [--profile] [--quick] [--json]

Starts a gateway as npm start does, durable, with its lab and a webhook receiver, and puts it under
load from another process, in turn with pgbench's TPC-B on the same PostgreSQL. The ratio of the two
rates can be compared between machines. See docs/performance.md.`

// V8 compiles the hot code of a whole life for about a minute. A gateway runs for days, so it is
// measured after that.
const warmUpSeconds = { wholeLife: 60, other: 20 }
const tpcbSecondsMax = 10
// After this time the gateway starts to query providers about payments without an outcome.
const silentSecondsMax = 3

await run(readOptionsOrExit({ program: 'bench', usage }, readOptions))

async function run(options: Options): Promise<void> {
  const progress = openProgress()
  const startedAt = new Date()
  const machine = describeMachine()
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-bench-'))
  const sharedDataDir = options.data ?? (options.history > 0 ? join(folder, 'filled') : null)
  const receiver = await startWebhookReceiver()
  const results: Result[] = []
  try {
    if (sharedDataDir !== null && options.history > 0)
      await fill(sharedDataDir, options.history, progress)
    for (const scenario of scenarios.filter(({ name }) => options.scenarios.includes(name))) {
      // Each scenario has its own database: the rows of one would change the figures of the next.
      const dataDir = sharedDataDir ?? join(folder, scenario.name)
      const parts = { options, dataDir, receiver, progress, startedAt }
      results.push(await runOnOwnGateway(scenario, parts))
    }
  } finally {
    await receiver.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  for (const result of results) {
    const run = { startedAt, machine, options }
    await keepResult(startedAt, `${result.scenario}.json`, { ...run, ...result })
  }
  const table = formatTable(results).join('\n')
  await keepResult(startedAt, 'table.md', table)
  if (options.isJson) console.log(JSON.stringify({ startedAt, machine, options, results }, null, 2))
  else {
    console.log(table)
    compareHotToMany(results).forEach((line) => console.log(line))
    console.log(`Kept as ${join('bench/results', stampOf(startedAt))}-*`)
  }
}

/** Imported on demand: only --history needs it. */
async function fill(dataDir: string, transactions: number, progress: Progress): Promise<void> {
  const { fillHistory } = await import('./history-fill.ts')
  await fillHistory({ dataDir, transactions, progress })
}

interface RunParts {
  options: Options
  dataDir: string
  receiver: WebhookReceiver
  progress: Progress
  startedAt: Date
}

/** Measures a scenario on a gateway of its own. */
async function runOnOwnGateway(scenario: Scenario, parts: RunParts): Promise<Result> {
  const { options, dataDir, progress } = parts
  const { name, title, environment = {} } = scenario
  progress.now(`${name}: starting the gateway`)
  const gateway = await startGateway({
    dataDir,
    profileFolder: options.isProfiled ? resultsFolder : null,
    environment,
  })
  try {
    const pgbench = await openPgbench(gateway.socketFolder)
    return summarizeRounds(name, title, await runScenario(scenario, gateway, pgbench, parts))
  } finally {
    await gateway.stop()
  }
}

/** Alternates rounds of the scenario and of TPC-B, so that a disturbance affects both. */
async function runScenario(
  scenario: Scenario,
  gateway: Gateway,
  pgbench: Pgbench,
  { options, dataDir, receiver, progress, startedAt }: RunParts,
): Promise<Measured[]> {
  const { clients, rounds, rate } = options
  const seconds = scenario.leavesSilent
    ? Math.min(options.seconds, silentSecondsMax)
    : options.seconds
  const name = `${scenario.name}-${startedAt.getTime().toString(36)}`
  const db = openGatewayDb(gateway.socketFolder)
  const database = await openDatabaseMonitor(gateway.socketFolder)
  try {
    progress.now(`${scenario.name}: getting ready`)
    const requestsTo = await scenario.prepare({ gatewayUrl: gateway.url, db, receiver, name })
    const roots = findRootPids(dataDir, gateway.pid, { sink: receiver.pid })
    const job = { url: gateway.url, clients, rate }
    const parts = { scenario, requestsTo, receiver, database, roots }
    const warmUpFor = scenario.isWholeLife ? warmUpSeconds.wholeLife : warmUpSeconds.other
    const warmUp = { ...job, seconds: Math.min(warmUpFor, 5 * seconds), name: `${name}-warm` }
    progress.now(`${scenario.name}: warming up`)
    await runRound({ ...parts, job: warmUp, progress: () => {} })
    const measured: Measured[] = []
    const tpcbSeconds = Math.min(seconds, tpcbSecondsMax)
    let before = await pgbench(tpcbSeconds)
    for (let number = 1; number <= rounds; number += 1) {
      const label = `${scenario.name} ${number}/${rounds}`
      const onProgress = (text: string) => progress.now(`${label}: ${text}`)
      const roundJob = { ...job, seconds, name: `${name}-${number}` }
      const done = await runRound({ ...parts, job: roundJob, progress: onProgress })
      progress.now(`${label}: TPC-B`)
      const after = await pgbench(tpcbSeconds)
      measured.push({ round: done, tpcb: [before, after] })
      progress.line(formatRound(label, done, [before, after]))
      before = after
    }
    return measured
  } finally {
    await database.close()
    await db.close()
  }
}

function formatRound(
  label: string,
  { perSecond, latency, errors, answered, done }: Measured['round'],
  [before, after]: Measured['tpcb'],
): string {
  const tpcb = before === null || after === null ? null : (before + after) / 2
  const ratio =
    tpcb === null
      ? 'no pgbench'
      : `TPC-B ${Math.round(tpcb)}/s, ratio ${round(perSecond / tpcb, 2)}`
  const lost = answered > done ? `, ${answered - done} without a webhook` : ''
  const wrong = errors > 0 ? `, ${errors} errors` : ''
  const times = `p50 ${latency.p50} ms, p99 ${latency.p99} ms`
  return `${label}: ${perSecond}/s, ${times}, ${ratio}${wrong}${lost}`
}

/** The rate of one hot merchant relative to that of many merchants. */
function compareHotToMany(results: Result[]): string[] {
  const [hot, many] = ['life', 'many'].map((name) =>
    results.find(({ scenario }) => scenario === name),
  )
  if (hot === undefined || many === undefined) return []
  const share = round(hot.perSecond.median / many.perSecond.median, 2)
  return [`One hot merchant does ${share} of what many do together.`]
}
