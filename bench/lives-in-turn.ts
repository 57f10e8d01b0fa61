import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '#data/db/db.ts'
import {
  type Gateway,
  type GatewayOptions,
  startGateway,
  startWebhookReceiver,
} from './child-processes.ts'
import { type DatabaseMonitor, openDatabaseMonitor } from './database-statistics.ts'
import { openGatewayDb } from './gateway-database.ts'
import { describeMachine } from './machine-description.ts'
import type { HistoryOptions } from './options.ts'
import { findRootPids } from './process-usage.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'
import { costOf, type Round, type RoundParts, runRound } from './round.ts'
import { lifeScenario } from './scenarios.ts'
import { median, round } from './statistics.ts'

/** Something under which payments are measured. */
export interface Condition {
  name: string
  requestsTo: RoundParts['requestsTo']
  /** Another gateway than the first one, from `start`. */
  gateway?: Gateway
  /** Begins what goes on during a round; the time of its process, if any, is counted too. */
  begin?(): Promise<{ pid?: number; end(): Promise<void> | void }>
}

interface RoundOptions extends Pick<HistoryOptions, 'clients' | 'seconds' | 'rounds'> {
  /** Payments a second; left out: as many as go. */
  rate?: number | null
}

/** What is started for one comparison. */
interface Parts {
  gateway: Gateway
  db: Db
  /** Starts a further gateway with a database of its own; it is stopped at the end. */
  start(options: Omit<GatewayOptions, 'dataDir'>): Promise<Gateway>
  /** Removed at the end. */
  folder: string
}

/**
 * Measures whole lives of payments under each condition in turn, and prints what
 * they cost against the first one. Rounds of one number are compared with each other, so that a
 * disturbance affects all of them.
 */
export async function compareLives(
  program: string,
  { clients, seconds, rounds, rate = null }: RoundOptions,
  prepare: (parts: Parts) => Promise<Condition[]>,
): Promise<void> {
  const progress = openProgress()
  const startedAt = new Date()
  const folder = await mkdtemp(join(tmpdir(), `passerelle-${program}-`))
  const receiver = await startWebhookReceiver()
  const gateways: Gateway[] = []
  const databases = new Map<Gateway, DatabaseMonitor>()
  const start: Parts['start'] = async (more) => {
    const dataDir = join(folder, `data-${gateways.length}`)
    const started = await startGateway({ dataDir, ...more })
    gateways.push(started)
    databases.set(started, await openDatabaseMonitor(started.socketFolder))
    return started
  }
  const first = await start({})
  const db = openGatewayDb(first.socketFolder)
  try {
    progress.now('getting ready')
    const conditions = await prepare({ gateway: first, db, folder, start })
    const done: Round[][] = conditions.map(() => [])
    // The first round of each is its warm-up.
    for (let number = 0; number <= rounds; number += 1)
      for (const [index, condition] of conditions.entries()) {
        const { name, requestsTo, begin, gateway = first } = condition
        const database = databases.get(gateway)
        if (database === undefined) throw new Error('a gateway that `start` did not start')
        const label = `${name} ${number}/${rounds}`
        const under = await begin?.()
        const beside = under?.pid === undefined ? {} : { beside: under.pid }
        const one = await runRound({
          scenario: lifeScenario,
          job: { url: gateway.url, clients, seconds, rate, name: `${number}-${index}` },
          requestsTo,
          receiver,
          database,
          roots: findRootPids(gateway.dataDir, gateway.pid, { sink: receiver.pid, ...beside }),
          progress: (text) => progress.now(`${label}: ${text}`),
        })
        await under?.end()
        const errors = one.errors > 0 ? `, errors ${JSON.stringify(one.errorKinds)}` : ''
        progress.line(`${label}: ${one.perSecond}/s, ${costWithBeside(one)} ms${errors}`)
        if (number > 0) done[index]?.push(one)
      }
    const figures = summarize(conditions, done)
    console.table(figures)
    const all = { machine: describeMachine(), figures, done }
    console.log(`Kept as ${await keepResult(startedAt, `${program}.json`, all)}`)
  } finally {
    await db.close()
    for (const database of databases.values()) await database.close()
    for (const gateway of gateways) await gateway.stop()
    await receiver.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Milliseconds of processor time of the gateway, its database and what went on beside them. */
function costWithBeside(one: Round): number {
  return round(costOf(one) + (one.cpuMsEach.beside ?? 0), 3)
}

/** The gateway's own part of it, without its database. */
function gatewayMs({ cpuMsEach }: Round): number {
  return cpuMsEach.gateway ?? 0
}

function summarize(conditions: Condition[], done: Round[][]) {
  const [first = []] = done
  return conditions.map(({ name }, index) => {
    const of = done[index] ?? []
    const ratioOf = (value: (one: Round) => number) =>
      round(median(of.map((one, number) => value(one) / value(first[number] ?? one))), 3)
    return {
      name,
      costMs: round(median(of.map(costWithBeside)), 3),
      costRatio: ratioOf(costWithBeside),
      gatewayMs: round(median(of.map(gatewayMs)), 3),
      gatewayRatio: ratioOf(gatewayMs),
      perSecond: Math.round(median(of.map(({ perSecond }) => perSecond))),
      rateRatio: ratioOf(({ perSecond }) => perSecond),
      p95Ms: round(median(of.map(({ latency }) => latency.p95)), 1),
    }
  })
}
