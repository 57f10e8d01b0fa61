import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyLedger } from '#operations/verify/ledger.ts'
import { type Gateway, runLoad, startGateway, startWebhookReceiver } from './child-processes.ts'
import { type DatabaseMonitor, openDatabaseMonitor } from './database-statistics.ts'
import { openGatewayDb } from './gateway-database.ts'
import { fillHistory } from './history-fill.ts'
import { describeMachine } from './machine-description.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { findRootPids } from './process-usage.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'
import { costOf, type Round, runRound } from './round.ts'
import { get, lifeScenario } from './scenarios.ts'
import { type Latency, median, round, sum } from './statistics.ts'

const usage = `npm run bench history -- [--transactions 1000000] [--clients 256] [--seconds 4]
  [--rounds 3] [--data FOLDER]

Measures the cost of a payment on a database with a history and on an empty one, in turn; then the
latency of lookups, the sizes of tables and indexes, and the speed of passerelle verify. With --data
the filled folder is kept, and is not filled again.`
const { transactions, clients, seconds, rounds, data } = readOptionsOrExit(
  { program: 'bench history', usage },
  readHistoryOptions,
)
const progress = openProgress()
const startedAt = new Date()
const machine = describeMachine()

const emptyDir = await mkdtemp(join(tmpdir(), 'passerelle-empty-'))
const fullDir = data ?? (await mkdtemp(join(tmpdir(), 'passerelle-full-')))
const receiver = await startWebhookReceiver()
try {
  await fillUnlessFull(fullDir)
  const empty = await openTarget('empty', emptyDir)
  const full = await openTarget('full', fullDir)
  try {
    const sizes = await readSizes(full.database)
    const reads = { empty: await timeReads(empty), full: await timeReads(full) }
    const payments = await payInTurn(empty, full)
    // Last: it reads everything, which evicts from memory the pages that payments need.
    const proof = await measureVerify(full)
    await report({ sizes, proof, reads, payments })
  } finally {
    for (const target of [empty, full]) await target.close()
  }
} finally {
  await receiver.stop()
  await rm(emptyDir, { recursive: true, force: true, maxRetries: 5 })
  if (data === null) await rm(fullDir, { recursive: true, force: true, maxRetries: 5 })
}

/** A gateway on one of the two databases. */
interface Target {
  name: 'empty' | 'full' | 'given'
  gateway: Gateway
  database: DatabaseMonitor
  close(): Promise<void>
}

async function openTarget(name: Target['name'], dataDir: string): Promise<Target> {
  progress.now(`starting the gateway on the ${name} database`)
  const gateway = await startGateway({ dataDir })
  const database = await openDatabaseMonitor(gateway.socketFolder)
  const close = async () => {
    await database.close()
    await gateway.stop()
  }
  return { name, gateway, database, close }
}

async function fillUnlessFull(dataDir: string): Promise<void> {
  // Not on an empty folder: the gateway would fund its demo merchants today, after their payments.
  if (existsSync(join(dataDir, 'postgres'))) {
    const target = await openTarget('given', dataDir)
    const [row] = await target.database.query('select count(*)::float as count from transactions')
    await target.close()
    if (Number(row?.count) >= transactions) return
  }
  await fillHistory({ dataDir, transactions, progress })
}

interface Size {
  table: string
  rows: number
  tableMb: number
  indexMb: number
  /** Size in MB by index. */
  indexes: Record<string, number>
}

async function readSizes({ query }: DatabaseMonitor): Promise<Size[]> {
  const rows = await query(`
    select c.relname as table, c.reltuples::float as rows,
      pg_table_size(c.oid) / 2.0^20 as table_mb, pg_indexes_size(c.oid) / 2.0^20 as index_mb,
      (select jsonb_object_agg(i.indexrelid::regclass::text,
        round((pg_relation_size(i.indexrelid) / 2.0^20)::numeric, 1))
        from pg_index i where i.indrelid = c.oid) as indexes
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and pg_total_relation_size(c.oid) > 2^20
    order by pg_total_relation_size(c.oid) desc`)
  return rows.map((row) => ({
    table: String(row.table),
    rows: Number(row.rows),
    tableMb: round(Number(row.table_mb), 1),
    indexMb: round(Number(row.index_mb), 1),
    indexes: row.indexes as Record<string, number>,
  }))
}

/** Times the check of the ledger alone, and `passerelle verify` with all its checks. */
async function measureVerify({ gateway, database }: Target) {
  const [row] = await database.query('select count(*)::float as count from ledger_entries')
  const entries = Number(row?.count ?? 0)
  const db = openGatewayDb(gateway.socketFolder)
  const startMs = performance.now()
  const verdict = await verifyLedger(db, (done, total) =>
    progress.now(`verify: ${Math.floor((100 * done) / total)} %`),
  )
  const ledgerSeconds = (performance.now() - startMs) / 1000
  await db.close()
  const cli = fileURLToPath(new URL('../bin/passerelle.js', import.meta.url))
  const env = { PATH: process.env.PATH, DATA_DIR: gateway.dataDir }
  progress.now('passerelle verify')
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'verify', '--json'], { env })
  const { durationMs } = JSON.parse(stdout) as { durationMs: number }
  return {
    entries,
    merchantEntries: verdict.entries,
    postings: verdict.postings,
    breaks: verdict.breaks.length,
    ledgerSeconds: round(ledgerSeconds, 2),
    entriesPerSecond: Math.round(entries / ledgerSeconds),
    commandSeconds: round(durationMs / 1000, 2),
    commandEntriesPerSecond: Math.round((entries * 1000) / durationMs),
  }
}

type Reads = Record<string, Latency>

/** Times lookups by one client, so that no request waits for another. */
async function timeReads({ name, gateway, database }: Target): Promise<Reads> {
  const sampled = await database.query(`
    select id, external_id from transactions
    tablesample system (${Math.min(100, 5_000_000 / transactions)})
    where client_id = 1 order by random() limit 500`)
  const [last] = await database.query(`
    select coalesce(max(last), 0)::float as last from event_positions where client_id = 1`)
  const middle = Math.floor(Number(last?.last ?? 0) / 2)
  const [shops] = await database.query(
    'select count(*)::float as count from sub_merchants where client_id = 1',
  )
  const page = Math.max(1, Math.floor(Number(shops?.count ?? 0) / 200))
  const pathsByLookup: Record<string, string[]> = {
    'status by id': sampled.map(({ id }) => `transaction/${String(id)}`),
    'status by external id': sampled.map(({ external_id: id }) => `transaction/${String(id)}`),
    'feed page in the middle': [`events?after=${middle}&limit=100`],
    'sub-merchant page in the middle': [`sub-merchant?limit=100&page=${page}`],
    balance: ['api-services/balance'],
  }
  const reads: Reads = {}
  for (const [lookup, paths] of Object.entries(pathsByLookup)) {
    if (paths.length === 0) continue
    progress.now(`${name}: ${lookup}`)
    const job = {
      url: gateway.url,
      clients: 1,
      seconds: 2,
      rate: null,
      name: 'read',
      status: 200,
      webhooks: null,
    }
    const { latency, errors } = await runLoad({
      ...job,
      requests: paths.map((path) => get(`/api/v1/${path}`)),
    })
    if (Object.keys(errors).length > 0) throw new Error(`${lookup}: ${JSON.stringify(errors)}`)
    reads[lookup] = latency
  }
  return reads
}

interface Payments {
  empty: Round[]
  full: Round[]
}

/** Alternates rounds of whole lives between the two gateways. */
async function payInTurn(empty: Target, full: Target): Promise<Payments> {
  const done: Payments = { empty: [], full: [] }
  for (let number = 0; number <= rounds; number += 1)
    for (const { name, gateway, database } of [empty, full]) {
      const db = openGatewayDb(gateway.socketFolder)
      const roundName = `${name}-${startedAt.getTime().toString(36)}-${number}`
      const prepareParts = { gatewayUrl: gateway.url, db, receiver, name: roundName }
      const requestsTo = await lifeScenario.prepare(prepareParts)
      await db.close()
      const roots = findRootPids(gateway.dataDir, gateway.pid, { sink: receiver.pid })
      const job = { url: gateway.url, clients, seconds, rate: null, name: roundName }
      const one = await runRound({
        scenario: lifeScenario,
        job,
        requestsTo,
        receiver,
        database,
        roots,
        progress: (text) => progress.now(`${name} ${number}/${rounds}: ${text}`),
      })
      // The first round of each gateway is its warm-up.
      if (number === 0) continue
      done[name as keyof Payments].push(one)
      progress.line(
        `${name} ${number}/${rounds}: ${one.perSecond}/s, ` +
          `${costOf(one)} ms of gateway and postgres`,
      )
    }
  return done
}

async function report(found: {
  sizes: Size[]
  proof: Awaited<ReturnType<typeof measureVerify>>
  reads: { empty: Reads; full: Reads }
  payments: Payments
}): Promise<void> {
  const { sizes, proof, reads, payments } = found
  const medianOf = (of: (one: Round) => number) => ({
    empty: round(median(payments.empty.map(of)), 3),
    full: round(median(payments.full.map(of)), 3),
  })
  const cost = medianOf(costOf)
  const rate = medianOf(({ perSecond }) => perSecond)
  const totalOf = (of: (size: Size) => number) => Math.round(sum(sizes.map(of)))
  const figures = {
    transactions,
    costMs: { ...cost, ratio: round(cost.full / cost.empty, 3) },
    perSecond: { ...rate, ratio: round(rate.full / rate.empty, 3) },
    tablesMb: totalOf(({ tableMb }) => tableMb),
    indexesMb: totalOf(({ indexMb }) => indexMb),
    verify: proof,
    reads,
  }
  const all = { startedAt, machine, ...figures, sizes, payments }
  const path = await keepResult(startedAt, 'history.json', all)
  console.log(JSON.stringify(figures, null, 2))
  console.table(sizes, ['table', 'rows', 'tableMb', 'indexMb'])
  console.log(`Kept as ${path}`)
}
