import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyLedger } from '../src/verify/ledger.ts'
import type { DatabaseWatch } from './database.ts'
import { watchDatabase } from './database.ts'
import { median, round } from './figures.ts'
import { fillHistory } from './history-fill.ts'
import type { RequestTemplate } from './load.ts'
import { describeMachine } from './machine.ts'
import { optionsOrEnd, readHistoryOptions } from './options.ts'
import { demoSecret, openGatewayDb } from './prepare.ts'
import { rootsOf } from './processes.ts'
import type { Gateway, Sink } from './programs.ts'
import { runLoad, startGateway, startSink } from './programs.ts'
import { openProgress } from './progress.ts'
import type { Round } from './round.ts'
import { runRound } from './round.ts'
import { scenarios } from './scenarios.ts'

/*
 * npm run bench:history -- [--transactions 1000000] [--clients 256] [--seconds 4] [--rounds 3]
 *   [--data FOLDER]
 *
 * What a payment costs on a database with a past, beside the same on an empty one, in turn; how
 * long looking things up takes there, how large it is, and how fast `verify` goes through it. With
 * --data the filled folder is kept, and not filled again.
 */
const { transactions, clients, seconds, rounds, data } = optionsOrEnd(
  'bench:history',
  readHistoryOptions,
)
const progress = openProgress()
const startedAt = new Date()
const machine = describeMachine()

const emptyDir = await mkdtemp(join(tmpdir(), 'passerelle-empty-'))
const fullDir = data ?? (await mkdtemp(join(tmpdir(), 'passerelle-full-')))
const sink = await startSink()
try {
  await fillOnce(fullDir)
  const [empty, full] = [await openPlace('empty', emptyDir), await openPlace('full', fullDir)]
  try {
    const sizes = await readSizes(full.database)
    const reads = { empty: await timeReads(empty), full: await timeReads(full) }
    const payments = await payInTurn(empty, full, sink)
    // Last: it reads everything, and what payments need would have to be read from the disk again.
    const proof = await prove(full)
    await report({ sizes, proof, reads, payments })
  } finally {
    for (const place of [empty, full]) await place.close()
  }
} finally {
  await sink.stop()
  await rm(emptyDir, { recursive: true, force: true, maxRetries: 5 })
  if (data === null) await rm(fullDir, { recursive: true, force: true, maxRetries: 5 })
}

interface Place {
  name: string
  gateway: Gateway
  database: DatabaseWatch
  close(): Promise<void>
}

async function openPlace(name: string, dataDir: string): Promise<Place> {
  progress.now(`starting the gateway on the ${name} database`)
  const gateway = await startGateway({ dataDir })
  const database = await watchDatabase(gateway.socketFolder)
  const close = async () => {
    await database.close()
    await gateway.stop()
  }
  return { name, gateway, database, close }
}

async function fillOnce(dataDir: string): Promise<void> {
  // Started on an empty folder, a gateway would give its demo merchants money of today.
  if (existsSync(join(dataDir, 'postgres'))) {
    const place = await openPlace('given', dataDir)
    const [row] = await place.database.query('select count(*)::float as count from transactions')
    await place.close()
    if (Number(row?.count) >= transactions) return
  }
  await fillHistory({ dataDir, transactions, progress })
}

interface Size {
  table: string
  rows: number
  tableMb: number
  indexMb: number
  indexes: Record<string, number>
}

async function readSizes({ query }: DatabaseWatch): Promise<Size[]> {
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

/** How fast the ledger is proven, and how long `passerelle verify` takes with all its checks. */
async function prove({ gateway, database }: Place) {
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

type Reads = Record<string, { p50: number; p95: number; p99: number; max: number }>

/** One caller at a time: how long the answer itself takes. */
async function timeReads({ name, gateway, database }: Place): Promise<Reads> {
  const headers = { authorization: `Bearer ${demoSecret}` }
  const gets = (paths: string[]) =>
    paths.map((path): RequestTemplate => ({ method: 'GET', path: `/api/v1/${path}`, headers }))
  const known = await database.query(`
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
  const questions: Record<string, string[]> = {
    'status by id': known.map(({ id }) => `transaction/${String(id)}`),
    'status by external id': known.map(({ external_id: id }) => `transaction/${String(id)}`),
    'feed page in the middle': [`events?after=${middle}&limit=100`],
    'sub-merchant page in the middle': [`sub-merchant?limit=100&page=${page}`],
    balance: ['api-services/balance'],
  }
  const reads: Reads = {}
  for (const [question, paths] of Object.entries(questions)) {
    if (paths.length === 0) continue
    progress.now(`${name}: ${question}`)
    const job = {
      url: gateway.url,
      clients: 1,
      seconds: 2,
      rate: null,
      name: 'read',
      status: 200,
      webhooks: null,
    }
    const { latency, errors } = await runLoad({ ...job, requests: gets(paths) })
    if (Object.keys(errors).length > 0) throw new Error(`${question}: ${JSON.stringify(errors)}`)
    reads[question] = latency
  }
  return reads
}

interface Payments {
  empty: Round[]
  full: Round[]
}

async function payInTurn(empty: Place, full: Place, payee: Sink): Promise<Payments> {
  const scenario = scenarios.find(({ name }) => name === 'life')
  if (scenario === undefined) throw new Error('there is no scenario life')
  const done: Payments = { empty: [], full: [] }
  for (let number = 0; number <= rounds; number += 1)
    for (const { name, gateway, database } of [empty, full]) {
      const db = openGatewayDb(gateway.socketFolder)
      const text = `${name}-${startedAt.getTime().toString(36)}-${number}`
      const stage = { gatewayUrl: gateway.url, db, sink: payee, name: text }
      const requestsTo = await scenario.prepare(stage)
      await db.close()
      const roots = rootsOf(gateway.dataDir, gateway.pid, { sink: payee.pid })
      const job = { url: gateway.url, clients, seconds, rate: null, name: text }
      const say = (words: string) => progress.now(`${name} ${number}/${rounds}: ${words}`)
      const parts = { scenario, job, requestsTo, sink: payee, database, roots, progress: say }
      const one = await runRound(parts)
      // The first of each warms up.
      if (number === 0) continue
      done[name as keyof Payments].push(one)
      progress.line(
        `${name} ${number}/${rounds}: ${one.perSecond}/s, ` +
          `${costOf(one)} ms of gateway and postgres`,
      )
    }
  return done
}

function costOf({ cpuMsEach }: Round): number {
  return round((cpuMsEach.gateway ?? 0) + (cpuMsEach.postgres ?? 0), 3)
}

async function report(found: {
  sizes: Size[]
  proof: Awaited<ReturnType<typeof prove>>
  reads: { empty: Reads; full: Reads }
  payments: Payments
}): Promise<void> {
  const { sizes, proof, reads, payments } = found
  const middle = (of: (one: Round) => number) => ({
    empty: round(median(payments.empty.map(of)), 3),
    full: round(median(payments.full.map(of)), 3),
  })
  const cost = middle(costOf)
  const rate = middle(({ perSecond }) => perSecond)
  const total = (of: (size: Size) => number) =>
    Math.round(sizes.reduce((sum, one) => sum + of(one), 0))
  const figures = {
    transactions,
    costMs: { ...cost, ratio: round(cost.full / cost.empty, 3) },
    perSecond: { ...rate, ratio: round(rate.full / rate.empty, 3) },
    tablesMb: total(({ tableMb }) => tableMb),
    indexesMb: total(({ indexMb }) => indexMb),
    verify: proof,
    reads,
  }
  const folder = fileURLToPath(new URL('results/', import.meta.url))
  await mkdir(folder, { recursive: true })
  const stamp = startedAt.toISOString().replaceAll(/[:.]/g, '-').slice(0, 19)
  const path = join(folder, `${stamp}-history.json`)
  const all = { startedAt, machine, ...figures, sizes, payments }
  await writeFile(path, `${JSON.stringify(all, null, 2)}\n`)
  console.log(JSON.stringify(figures, null, 2))
  console.table(sizes, ['table', 'rows', 'tableMb', 'indexMb'])
  console.log(`Kept as ${path}`)
}
