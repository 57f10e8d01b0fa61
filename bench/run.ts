import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watchDatabase } from './database.ts'
import { round } from './figures.ts'
import { describeMachine } from './machine.ts'
import type { Options } from './options.ts'
import { optionsOrEnd, readOptions } from './options.ts'
import type { Pgbench } from './pgbench.ts'
import { openPgbench } from './pgbench.ts'
import { plotsOf } from './plots.ts'
import { openGatewayDb } from './prepare.ts'
import { rootsOf } from './processes.ts'
import type { Gateway, Sink } from './programs.ts'
import { startGateway, startSink } from './programs.ts'
import type { Progress } from './progress.ts'
import { openProgress } from './progress.ts'
import type { Measured, Result } from './report.ts'
import { resultOf, tableOf } from './report.ts'
import { runRound } from './round.ts'
import type { Scenario } from './scenarios.ts'
import { scenarios } from './scenarios.ts'

/*
 * npm run bench -- [--scenario NAME,NAME|all] [--clients 256] [--seconds 10] [--rounds 3]
 *   [--rate REQUESTS_PER_SECOND] [--processes 1] [--history TRANSACTIONS] [--data FOLDER]
 *   [--profile] [--quick] [--json]
 *
 * A gateway as `npm start` makes it, durable, with its lab and a webhook sink beside it, under load
 * from another process, in turn with pgbench's TPC-B on the same PostgreSQL: the ratio of the two
 * means the same on a fast and on a slow machine. See docs/performance.md.
 */
// A gateway that runs for days has compiled what it does often: it is measured as it is then.
// V8 goes on compiling what a whole life needs for about a minute.
const warmSeconds = { wholeLife: 60, other: 20 }
const tpcbSecondsMax = 10
const askedAfterSeconds = 3

const resultsFolder = fileURLToPath(new URL('results/', import.meta.url))

await run(optionsOrEnd('bench', readOptions))

async function run(options: Options): Promise<void> {
  const progress = openProgress()
  const startedAt = new Date()
  const machine = describeMachine()
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-bench-'))
  const filled = options.data ?? (options.history > 0 ? join(folder, 'filled') : null)
  const sink = await startSink()
  const results: Result[] = []
  try {
    if (filled !== null && options.history > 0) await fill(filled, options.history, progress)
    for (const scenario of scenarios.filter(({ name }) => options.scenarios.includes(name))) {
      // A database of its own: what one leaves behind would be measured with the next.
      const dataDir = filled ?? join(folder, scenario.name)
      results.push(await runAlone(scenario, { options, dataDir, sink, progress, startedAt }))
    }
  } finally {
    await sink.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const stamp = startedAt.toISOString().replaceAll(/[:.]/g, '-').slice(0, 19)
  await keep(stamp, { startedAt, machine, options }, results)
  if (options.isJson) console.log(JSON.stringify({ startedAt, machine, options, results }, null, 2))
  else {
    console.log(tableOf(results).join('\n'))
    compare(results).forEach((line) => console.log(line))
    console.log(`Kept as ${join('bench/results', stamp)}-*`)
  }
}

/** Only needed, and only loaded, for a database that is to be old. */
async function fill(dataDir: string, transactions: number, progress: Progress): Promise<void> {
  const { fillHistory } = await import('./history-fill.ts')
  await fillHistory({ dataDir, transactions, progress })
}

interface RunParts {
  options: Options
  dataDir: string
  sink: Sink
  progress: Progress
  startedAt: Date
}

/** Measures a scenario on a gateway of its own. */
async function runAlone(scenario: Scenario, parts: RunParts): Promise<Result> {
  const { options, dataDir, progress } = parts
  const { name, title, environment = {} } = scenario
  progress.now(`${name}: starting the gateway`)
  const gateway = await startGateway({
    dataDir,
    processes: options.processes,
    profileFolder: options.isProfiled ? resultsFolder : null,
    environment,
  })
  try {
    const pgbench = await openPgbench(gateway.socketFolder)
    return resultOf(name, title, await runScenario(scenario, gateway, pgbench, parts))
  } finally {
    await gateway.stop()
  }
}

/** Rounds of the scenario between rounds of TPC-B, so that what disturbs one disturbs both. */
async function runScenario(
  scenario: Scenario,
  gateway: Gateway,
  pgbench: Pgbench,
  { options, dataDir, sink, progress, startedAt }: RunParts,
): Promise<Measured[]> {
  const { clients, rounds, rate } = options
  const seconds = scenario.leavesSilent
    ? Math.min(options.seconds, askedAfterSeconds)
    : options.seconds
  const name = `${scenario.name}-${startedAt.getTime().toString(36)}`
  const db = openGatewayDb(gateway.socketFolder)
  const database = await watchDatabase(gateway.socketFolder)
  try {
    progress.now(`${scenario.name}: getting ready`)
    const requestsTo = await scenario.prepare({ gatewayUrl: gateway.url, db, sink, name })
    const roots = rootsOf(dataDir, gateway.pid, { sink: sink.pid })
    const job = { url: gateway.url, clients, rate }
    const parts = { scenario, requestsTo, sink, database, roots }
    const warmFor = scenario.isWholeLife ? warmSeconds.wholeLife : warmSeconds.other
    const warm = { ...job, seconds: Math.min(warmFor, 5 * seconds), name: `${name}-warm` }
    progress.now(`${scenario.name}: warming up`)
    await runRound({ ...parts, job: warm, progress: () => {} })
    const measured: Measured[] = []
    const tpcbSeconds = Math.min(seconds, tpcbSecondsMax)
    let before = await pgbench(tpcbSeconds)
    for (let number = 1; number <= rounds; number += 1) {
      const place = `${scenario.name} ${number}/${rounds}`
      const say = (text: string) => progress.now(`${place}: ${text}`)
      const own = { ...job, seconds, name: `${name}-${number}` }
      const done = await runRound({ ...parts, job: own, progress: say })
      progress.now(`${place}: TPC-B`)
      const after = await pgbench(tpcbSeconds)
      measured.push({ round: done, tpcb: [before, after] })
      progress.line(roundLine(place, done, [before, after]))
      before = after
    }
    return measured
  } finally {
    await database.close()
    await db.close()
  }
}

function roundLine(
  place: string,
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
  return `${place}: ${perSecond}/s, ${times}, ${ratio}${wrong}${lost}`
}

/** One hot merchant beside many. */
function compare(results: Result[]): string[] {
  const [hot, many] = ['life', 'many'].map((name) =>
    results.find(({ scenario }) => scenario === name),
  )
  if (hot === undefined || many === undefined) return []
  const share = round(hot.perSecond.median / many.perSecond.median, 2)
  return [`One hot merchant does ${share} of what many do together.`]
}

async function keep(stamp: string, run: object, results: Result[]): Promise<void> {
  await mkdir(resultsFolder, { recursive: true })
  const path = (name: string) => join(resultsFolder, `${stamp}-${name}`)
  for (const result of results)
    await writeFile(
      path(`${result.scenario}.json`),
      `${JSON.stringify({ ...run, ...result }, null, 2)}\n`,
    )
  for (const [name, svg] of Object.entries(plotsOf(results)))
    await writeFile(path(`${name}.svg`), svg)
}
