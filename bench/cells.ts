import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProxy } from '#test/haproxy.ts'
import { freePort } from '#test/listen.ts'
import { type Gateway, startGateway, startWebhookReceiver } from './child-processes.ts'
import { openDatabaseMonitor } from './database-statistics.ts'
import { createMerchants, openGatewayDb } from './gateway-database.ts'
import { describeMachine } from './machine-description.ts'
import { readCellsOptions, readOptionsOrExit } from './options.ts'
import { findRootPids } from './process-usage.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'
import { costOf, type Round, runRound } from './round.ts'
import { collectionTemplates, expectCreated, lifeScenario } from './scenarios.ts'
import { estimateRatio, median, type RatioEstimate, round } from './statistics.ts'

const usage = `npm run bench cells -- [--clients 256] [--seconds 4] [--rounds 8] [--rate N]

Measures what cells cost a payment: whole lives in turn on a gateway without cells, in a cell, and
in one of two cells behind HAProxy (needs Debian's haproxy), whose callbacks come through it too.
With a rate, groups of statements are about equally large in all of them.`
const { clients, seconds, rounds, rate } = readOptionsOrExit(
  { program: 'bench cells', usage },
  readCellsOptions,
)
const progress = openProgress()
const startedAt = new Date()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-cells-'))
const receiver = await startWebhookReceiver()
const opened: { stop(): Promise<void> }[] = [receiver]

/** A gateway with a merchant of its own, and a monitor of its database. */
async function openOne(name: string, environment: Record<string, string>) {
  const gateway = await startGateway({ dataDir: join(folder, name), environment })
  const db = openGatewayDb(gateway.socketFolder)
  const [apiKey = ''] = await createMerchants(db, name, 1)
  const database = await openDatabaseMonitor(gateway.socketFolder)
  opened.push({
    stop: async () => {
      await database.close()
      await db.close()
      await gateway.stop()
    },
  })
  return { gateway, database, apiKey }
}

type One = Awaited<ReturnType<typeof openOne>>

interface Condition {
  name: string
  one: One
  url: string
  proxy?: number
}

function measure({ one, url, proxy }: Condition, name: string, label: string): Promise<Round> {
  const { gateway, database, apiKey } = one
  const beside = proxy === undefined ? {} : { proxy }
  return runRound({
    scenario: lifeScenario,
    job: { url, clients, seconds, rate, name },
    requestsTo: (to) => expectCreated(collectionTemplates(to, { apiKey, payerCount: 5000 })),
    receiver,
    database,
    roots: findRootPids(gateway.dataDir, gateway.pid, { sink: receiver.pid, ...beside }),
    progress: (text) => progress.now(`${label}: ${text}`),
  })
}

async function prepare(): Promise<Condition[]> {
  const [way, c1, c2] = [await freePort(), await freePort(), await freePort()]
  const url = `http://127.0.0.1:${way}`
  const cell = (name: string, port: number, more: Record<string, string> = {}) =>
    openOne(name, { CELL: name, PORT: String(port), TRUSTED_PROXIES: '127.0.0.1', ...more })
  const plain = await openOne('plain', {})
  const alone = await cell('alone', 0)
  const first = await cell('c1', c1, { PUBLIC_URL: url })
  await cell('c2', c2, { PUBLIC_URL: url })
  const served = Object.entries({ c1, c2 }).map(([name, port]) => {
    return { cell: name, servers: [`127.0.0.1:${port}`] }
  })
  const { pid, stop } = await runProxy(served, { port: way })
  opened.push({ stop })
  const addressOf = ({ url: own }: Gateway) => own
  return [
    { name: 'without cells', one: plain, url: addressOf(plain.gateway) },
    { name: 'in a cell', one: alone, url: addressOf(alone.gateway) },
    { name: 'in one of two cells behind HAProxy', one: first, url, proxy: pid },
  ]
}

/** The ratio of gateway and database together to those without cells. */
function nameRange({ mean, low, high }: RatioEstimate) {
  return { costRatio: mean, from: low, to: high }
}

try {
  progress.now('getting ready')
  const conditions = await prepare()
  const done: Round[][] = conditions.map(() => [])
  // The first round of each is its warm-up.
  for (let number = 0; number <= rounds; number += 1) {
    // Forwards and backwards in turn: a machine that becomes busier must not count for one of them.
    const inTurn = [...conditions.entries()]
    for (const [index, condition] of number % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const label = `${condition.name} ${number}/${rounds}`
      const one = await measure(condition, `${number}-${index}`, label)
      const errors = one.errors > 0 ? `, errors ${JSON.stringify(one.errorKinds)}` : ''
      progress.line(`${label}: ${one.perSecond}/s, ${costOf(one)} ms${errors}`)
      if (number > 0) done[index]?.push(one)
    }
  }
  const [base = []] = done
  const figures = conditions.map(({ name }, index) => {
    const of = done[index] ?? []
    const of1 = (part: string) => round(median(of.map((one) => one.cpuMsEach[part] ?? 0)), 3)
    const ratios = of.map((one, number) => costOf(one) / costOf(base[number] ?? one))
    return {
      name,
      gatewayMs: of1('gateway'),
      databaseMs: of1('postgres'),
      proxyMs: of1('proxy'),
      ...nameRange(estimateRatio(ratios)),
      perSecond: Math.round(median(of.map(({ perSecond }) => perSecond))),
    }
  })
  console.table(figures)
  const all = { machine: describeMachine(), figures, done }
  console.log(`Kept as ${await keepResult(startedAt, 'cells.json', all)}`)
} finally {
  for (const one of opened.toReversed()) await one.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
