import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keepCellName } from '../src/cells/own-name.ts'
import { migrateUp, readMigrations } from '../src/db/migrate.ts'
import { migrationsFolder } from '../src/db/server.ts'
import { systemClock } from '../src/kit/clock.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded.ts'
import { summariseAll } from '../src/reports/summarise.ts'
import type { Gateway } from './child-processes.ts'
import { startGateway } from './child-processes.ts'
import { createMerchants, openGatewayDb } from './gateway-database.ts'
import { clockBeforeHistory, writeHistory } from './history-fill.ts'
import { describeMachine } from './machine-description.ts'
import { startPayers } from './move-payers.ts'
import { readMoveOptions, readOptionsOrExit } from './options.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'

const usage = `npm run bench:move -- [--transactions 1000000] [--payers 1]

Moves one merchant with that many payments from one cell to another while callers pay one order
after the other (0: none), measures how long it is frozen, and proves both cells.`
const options = readOptionsOrExit({ program: 'bench:move', usage }, readMoveOptions)
const { transactions } = options
const progress = openProgress()
const startedAt = new Date()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-move-'))
const token = 'a-token-of-both-cells-of-the-benchmark'
const cli = fileURLToPath(new URL('../bin/passerelle.js', import.meta.url))

/** Fills the cell that the merchant leaves. */
async function fill(dataDir: string): Promise<{ secret: string; clientId: number }> {
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  try {
    await migrateUp(server.url, await readMigrations(migrationsFolder))
    const db = openGatewayDb(`${dataDir}/socket`)
    await keepCellName(db, systemClock, 'c1')
    const [secret = ''] = await createMerchants(db, 'mover', 1, clockBeforeHistory)
    const [client] = await db<{ id: number }>`select id from clients`
    await writeHistory({ url: server.url, transactions, progress })
    progress.line('history: hourly sums')
    await summariseAll(db)
    await db.close()
    return { secret, clientId: client?.id ?? 0 }
  } finally {
    await server.stop()
  }
}

function environmentOf({ dataDir }: Pick<Gateway, 'dataDir'>, cell: string) {
  return { PATH: process.env.PATH, DATA_DIR: dataDir, CELL: cell, CELL_TOKEN: token }
}

/** Runs the command; what it says on its way tells how long each part takes. */
async function move(source: Gateway, target: Gateway, clientId: number) {
  const beganMs = performance.now()
  const args = [cli, 'client', 'move', String(clientId), '--to', target.url]
  const child = spawn(process.execPath, args, {
    env: environmentOf(source, 'c1'),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const secondsNow = () => Math.round((performance.now() - beganMs) / 100) / 10
  const figures = { rows: 0, copiedSeconds: 0, comparedSeconds: 0, frozenMs: 0, seconds: 0 }
  for await (const line of createInterface({ input: child.stderr })) {
    progress.line(`${secondsNow()} s: ${line}`)
    if (line.endsWith('rows copied')) figures.copiedSeconds = secondsNow()
    const [, rows] = /^(\d+) rows are equal/.exec(line) ?? []
    if (rows !== undefined) {
      figures.rows = Number(rows)
      figures.comparedSeconds = secondsNow()
    }
    const [, frozenMs] = /^frozen for (\d+) ms/.exec(line) ?? []
    if (frozenMs !== undefined) figures.frozenMs = Number(frozenMs)
  }
  const [code] = await exited
  if (code !== 0) throw new Error(`the move ended with ${code}`)
  return { ...figures, seconds: secondsNow() }
}

/** Proves a cell; throws if anything in it is wrong. */
async function prove(cell: Gateway, name: string) {
  progress.now(`proving ${name}`)
  const { stdout } = await promisify(execFile)(process.execPath, [cli, 'verify', '--json'], {
    env: environmentOf(cell, name),
  })
  const { breaks, durationMs } = JSON.parse(stdout) as { breaks: unknown[]; durationMs: number }
  if (breaks.length > 0) throw new Error(`${name}: ${JSON.stringify(breaks)}`)
  return Math.round(durationMs / 1000)
}

/** The old cell's heads must stand in the new cell's chains, which may have gone on since. */
async function compareHeads(source: Gateway, target: Gateway, clientId: number): Promise<number> {
  const [old, young] = [source, target].map(({ socketFolder }) => openGatewayDb(socketFolder))
  if (old === undefined || young === undefined) throw new Error('two cells are compared')
  try {
    const heads = await old<{ kind: string; version: number; head: string }>`
      select kind, version, encode(head, 'hex') as head from ledger_accounts
      where client_id = ${clientId} and version > 0`
    for (const { kind, version, head } of heads) {
      const [entry] = await young<{ hash: string }>`
        select encode(hash, 'hex') as hash from ledger_entries
        where client_id = ${clientId} and account = ${kind} and version = ${version}`
      if (entry?.hash !== head) throw new Error(`the chain of ${kind} differs`)
    }
    return heads.length
  } finally {
    await Promise.all([old.close(), young.close()])
  }
}

try {
  const [from, to] = [join(folder, 'c1'), join(folder, 'c2')]
  const { secret, clientId } = await fill(from)
  const source = await startGateway({ dataDir: from, environment: cellOf('c1') })
  const target = await startGateway({ dataDir: to, environment: cellOf('c2') })
  try {
    const payers = startPayers([source.url, target.url], secret, options.payers)
    const moved = await move(source, target, clientId)
    const payments = await payers.stop()
    const verifySeconds = [await prove(source, 'c1'), await prove(target, 'c2')]
    const equalHeads = await compareHeads(source, target, clientId)
    const figures = { ...options, ...moved, payments, verifySeconds, equalHeads }
    console.log(JSON.stringify(figures, null, 2))
    const all = { machine: describeMachine(), ...figures }
    console.log(`Kept as ${await keepResult(startedAt, 'move.json', all)}`)
  } finally {
    await source.stop()
    await target.stop()
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

function cellOf(name: string) {
  return { CELL: name, CELL_TOKEN: token }
}
