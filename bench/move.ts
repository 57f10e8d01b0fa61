import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keepCellName } from '../src/cells/own-name.ts'
import { migrateUp, readMigrations } from '../src/db/migrate.ts'
import { migrationsFolder } from '../src/db/server.ts'
import { systemClock } from '../src/kit/clock.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded.ts'
import { startGateway } from './child-processes.ts'
import { createMerchants, openGatewayDb } from './gateway-database.ts'
import { clockBeforeHistory, writeHistory } from './history-fill.ts'
import { describeMachine } from './machine-description.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'

const usage = `npm run bench:move -- [--transactions 1000000]

Moves one merchant with that many payments from one cell to another while it pays, and measures how
long it is frozen.`
const { transactions } = readOptionsOrExit({ program: 'bench:move', usage }, readHistoryOptions)
const progress = openProgress()
const startedAt = new Date()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-move-'))
const token = 'a-token-of-both-cells-of-the-benchmark'

/** Fills the cell that the merchant leaves, and returns the merchant's key. */
async function fill(dataDir: string): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  try {
    await migrateUp(server.url, await readMigrations(migrationsFolder))
    const db = openGatewayDb(`${dataDir}/socket`)
    await keepCellName(db, systemClock, 'c1')
    const [secret = ''] = await createMerchants(db, 'mover', 1, clockBeforeHistory)
    await db.close()
    await writeHistory({ url: server.url, transactions, progress })
    return secret
  } finally {
    await server.stop()
  }
}

/** One order after the other until the cell says that the merchant has moved. */
async function payUntilMoved(url: string, secret: string) {
  const statuses: Record<string, number> = {}
  let [longestMs, lastMs] = [0, performance.now()]
  for (let number = 0; ; number += 1) {
    const order = {
      externalTransactionId: `meanwhile-${number}`,
      serviceCode: 'WALLETA_SN_CASHOUT',
      amount: 500,
      number: '771234567',
      callBackURL: 'http://127.0.0.1:9/hook',
      successUrl: 'http://127.0.0.1:9/ok',
      failureUrl: 'http://127.0.0.1:9/no',
    }
    const { status } = await fetch(`${url}/api/v1/transaction/init`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 201 || status === 421) {
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
    }
    if (status === 421) return { statuses, longestMs: Math.round(longestMs) }
    await sleep(20)
  }
}

const cli = fileURLToPath(new URL('../bin/passerelle.js', import.meta.url))

try {
  const [from, to] = [join(folder, 'c1'), join(folder, 'c2')]
  const secret = await fill(from)
  const environment = { CELL_TOKEN: token }
  const source = await startGateway({ dataDir: from, environment: { CELL: 'c1', ...environment } })
  const target = await startGateway({ dataDir: to, environment: { CELL: 'c2', ...environment } })
  try {
    progress.now('moving')
    const paying = payUntilMoved(source.url, secret)
    const beganMs = performance.now()
    const db = openGatewayDb(source.socketFolder)
    const [client] = await db<{ id: number }>`
      select client_id as id from transactions group by 1 order by count(*) desc limit 1`
    await db.close()
    const env = { PATH: process.env.PATH, DATA_DIR: from, CELL: 'c1', ...environment }
    const args = [cli, 'client', 'move', String(client?.id), '--to', target.url, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    const { comparedRows, frozenMs } = JSON.parse(stdout) as Record<string, number>
    const seconds = Math.round((performance.now() - beganMs) / 1000)
    const figures = { transactions, comparedRows, seconds, frozenMs, payments: await paying }
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
