import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientIdOf } from '../src/clients/clients.ts'
import type { Db } from '../src/db/db.ts'
import { blockNumber, numbersScope, setLimit } from '../src/limits/change.ts'
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

const usage = `npm run bench:limits -- [--clients 256] [--seconds 4] [--rounds 8]

Measures what limits cost a payment: whole lives of three merchants in turn on one gateway. One has
no limits, one a limit a day of its service, one also a limit of tries of a number. A thousand
numbers are blocked for all.`
const { clients, seconds, rounds } = readOptionsOrExit({ program: 'bench:limits', usage }, (args) =>
  readHistoryOptions(['--rounds', '8', ...args]),
)
const merchants = ['unlimited', 'limited a day', 'limited a day and by number'] as const
// So many that none reaches its limit, which is the highest that can be set.
const payerCount = 5000
const attemptsMax = 1000
const blockedCount = 1000
const manyFrancs = 1_000_000_000_000

const progress = openProgress()
const startedAt = new Date()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-limits-'))
const receiver = await startWebhookReceiver()
try {
  const gateway = await startGateway({ dataDir: folder })
  const db = openGatewayDb(gateway.socketFolder)
  const database = await openDatabaseMonitor(gateway.socketFolder)
  try {
    progress.now('merchants, limits and blocked numbers')
    const apiKeys = await createMerchants(db, 'limits', merchants.length)
    await setLimits(db)
    const roots = findRootPids(folder, gateway.pid, { sink: receiver.pid })
    const done: Round[][] = merchants.map(() => [])
    // The first round of each is its warm-up, in which the ten seconds of a new limit pass as well.
    for (let number = 0; number <= rounds; number += 1)
      for (const [index, apiKey] of apiKeys.entries()) {
        const one = await runRound({
          scenario: lifeScenario,
          job: {
            url: gateway.url,
            clients,
            seconds,
            rate: null,
            name: `limits-${number}-${index}`,
          },
          requestsTo: (url) => expectCreated(collectionTemplates(url, { apiKey, payerCount })),
          receiver,
          database,
          roots,
          progress: (text) => progress.now(`${merchants[index]} ${number}/${rounds}: ${text}`),
        })
        if (one.errors > 0) throw new Error(JSON.stringify(one.errorKinds))
        if (number === 0) continue
        done[index]?.push(one)
        progress.line(
          `${merchants[index]} ${number}/${rounds}: ${one.perSecond}/s, ${costOf(one)} ms`,
        )
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

async function setLimits(db: Db): Promise<void> {
  const change = { now: new Date(), actor: 'benchmark' }
  const [, daily, byNumber] = await Promise.all(
    merchants.map((_, index) => clientIdOf(db, `Banc limits ${index}`)),
  )
  await db.transaction(async (tx) => {
    for (const clientId of [daily, byNumber]) {
      if (clientId === undefined) throw new Error('a merchant is missing')
      const limit = { clientId, scope: 'WALLETA_SN_CASHOUT', amountMax: manyFrancs }
      await setLimit(tx, { ...limit, countMax: 1_000_000_000, ...change })
      if (clientId === byNumber)
        await setLimit(tx, { clientId, scope: numbersScope, attemptsMax, ...change })
    }
    for (let index = 0; index < blockedCount; index += 1) {
      const number = `+22178${String(index).padStart(7, '0')}`
      await blockNumber(tx, { number, reason: 'benchmark', expiresAt: null, ...change })
    }
  })
}

/** Rounds of one number are compared with each other, so that a disturbance affects all of them. */
async function report(done: Round[][]): Promise<void> {
  const [unlimited = []] = done
  const figures = merchants.map((name, index) => {
    const of = done[index] ?? []
    const ratios = of.map((one, number) => costOf(one) / costOf(unlimited[number] ?? one))
    return {
      name,
      costMs: round(median(of.map(costOf)), 3),
      perSecond: Math.round(median(of.map(({ perSecond }) => perSecond))),
      ratio: round(median(ratios), 3),
    }
  })
  console.table(figures)
  const machine = describeMachine()
  console.log(`Kept as ${await keepResult(startedAt, 'limits.json', { machine, figures, done })}`)
}
