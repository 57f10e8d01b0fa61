import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBackupState } from '../src/backup/state-store.ts'
import type { Db } from '../src/db/db.ts'
import type { Gateway } from './child-processes.ts'
import { startGateway, startWebhookReceiver } from './child-processes.ts'
import { openDatabaseMonitor } from './database-statistics.ts'
import { createMerchants, openGatewayDb } from './gateway-database.ts'
import { describeMachine } from './machine-description.ts'
import { readHistoryOptions, readOptionsOrExit } from './options.ts'
import { findRootPids } from './process-usage.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'
import type { Round } from './round.ts'
import { costOf, runRound } from './round.ts'
import { collectionTemplates, expectCreated, lifeScenario } from './scenarios.ts'
import { median, round } from './statistics.ts'

const usage = `npm run bench:archive -- [--clients 256] [--seconds 4] [--rounds 8]

Measures what an archive of every change costs a payment: whole lives in turn without an archive and
while \`passerelle backup FOLDER --follow\` receives the log of changes.`
const { clients, seconds, rounds } = readOptionsOrExit(
  { program: 'bench:archive', usage },
  (args) => readHistoryOptions(['--rounds', '8', ...args]),
)
const conditions = ['without an archive', 'with an archive'] as const
const launcher = join(import.meta.dirname, '..', 'bin', 'passerelle.js')
const payerCount = 5000
// Until an archiver that has just begun has caught up.
const settleMs = 5000

const progress = openProgress()
const startedAt = new Date()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-archive-'))
const receiver = await startWebhookReceiver()
try {
  const gateway = await startGateway({ dataDir: join(folder, 'data') })
  const db = openGatewayDb(gateway.socketFolder)
  const database = await openDatabaseMonitor(gateway.socketFolder)
  try {
    const [apiKey = ''] = await createMerchants(db, 'archive', 1)
    const done: Round[][] = conditions.map(() => [])
    // The first round of each is its warm-up, in which the base backup is made as well.
    for (let number = 0; number <= rounds; number += 1)
      for (const [index, name] of conditions.entries()) {
        const archiver = index === 0 ? undefined : await startArchiver(gateway, db)
        const others = archiver === undefined ? {} : { archive: archiver.pid }
        const one = await runRound({
          scenario: lifeScenario,
          job: { url: gateway.url, clients, seconds, rate: null, name: `${number}-${index}` },
          requestsTo: (url) => expectCreated(collectionTemplates(url, { apiKey, payerCount })),
          receiver,
          database,
          roots: findRootPids(gateway.dataDir, gateway.pid, { sink: receiver.pid, ...others }),
          progress: (text) => progress.now(`${name} ${number}/${rounds}: ${text}`),
        })
        await archiver?.stop()
        if (one.errors > 0) throw new Error(JSON.stringify(one.errorKinds))
        if (number === 0) continue
        done[index]?.push(one)
        progress.line(`${name} ${number}/${rounds}: ${one.perSecond}/s, ${costWith(one)} ms`)
      }
    await report(done)
  } finally {
    await database.close()
    await db.close()
    await gateway.stop()
  }
} finally {
  await receiver.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Starts to keep the archive, and waits until it has a base backup and has caught up. */
async function startArchiver({ dataDir }: Gateway, db: Db) {
  const child = spawn(process.execPath, [launcher, 'backup', join(folder, 'archive'), '--follow'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  })
  const ended = once(child, 'exit')
  while (((await readBackupState(db))?.baseAt ?? null) === null) {
    if (child.exitCode !== null) throw new Error('the archiver has ended')
    await sleep(200)
  }
  await sleep(settleMs)
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Milliseconds of processor time of the gateway, its database and the archiver. */
function costWith(one: Round): number {
  return round(costOf(one) + (one.cpuMsEach.archive ?? 0), 3)
}

/** Rounds of one number are compared with each other, so that a disturbance affects both. */
async function report(done: Round[][]): Promise<void> {
  const [alone = []] = done
  const figures = conditions.map((name, index) => {
    const of = done[index] ?? []
    const ratios = of.map((one, number) => costWith(one) / costWith(alone[number] ?? one))
    return {
      name,
      costMs: round(median(of.map(costWith)), 3),
      archiverMs: round(median(of.map(({ cpuMsEach }) => cpuMsEach.archive ?? 0)), 3),
      perSecond: Math.round(median(of.map(({ perSecond }) => perSecond))),
      ratio: round(median(ratios), 3),
    }
  })
  console.table(figures)
  const machine = describeMachine()
  console.log(`Kept as ${await keepResult(startedAt, 'archive.json', { machine, figures, done })}`)
}
