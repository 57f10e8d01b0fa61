import { mkdtemp, rm } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientIdOf } from '../src/clients/clients.ts'
import type { Db } from '../src/db/db.ts'
import { addPerson, signIn } from '../test/dashboard.ts'
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

const usage = `npm run bench:open-pages -- [--clients 256] [--seconds 8] [--rounds 4]

Measures what 2,000 open pages of the dashboard cost payments: whole lives of payments with and
without them, in turn on one gateway. Half of the pages show a merchant that makes half of all
payments, the others fifty merchants that make the rest; half show home, half the newest
transactions.`
const { clients, seconds, rounds } = readOptionsOrExit(
  { program: 'bench:open-pages', usage },
  (args) => readHistoryOptions(['--rounds', '4', '--seconds', '8', ...args]),
)
const pagesPerPerson = 20
const others = 50

const progress = openProgress()
const startedAt = new Date()
const folder = await mkdtemp(join(tmpdir(), 'passerelle-open-pages-'))
const receiver = await startWebhookReceiver()
try {
  const gateway = await startGateway({ dataDir: folder })
  const db = openGatewayDb(gateway.socketFolder)
  const database = await openDatabaseMonitor(gateway.socketFolder)
  const roots = findRootPids(folder, gateway.pid, { sink: receiver.pid })
  try {
    progress.now('merchants and people')
    const apiKeys = await createMerchants(db, 'pages', 1 + others)
    const readers = await signReadersIn(db, gateway.url)
    const [hot = '', ...rest] = apiKeys
    const requestsTo = (url: string) =>
      expectCreated(
        rest.flatMap((apiKey) =>
          [hot, apiKey].flatMap((key) => collectionTemplates(url, { apiKey: key, payerCount: 2 })),
        ),
      )
    const pay = async (name: string) => {
      const job = { url: gateway.url, clients, seconds, rate: null, name }
      const parts = { scenario: lifeScenario, requestsTo, receiver, database, roots }
      const one = await runRound({
        ...parts,
        job,
        progress: (text) => progress.now(`${name}: ${text}`),
      })
      if (one.errors > 0) progress.line(`${name}: errors ${JSON.stringify(one.errorKinds)}`)
      return one
    }
    const done: Record<'closed' | 'open', Round[]> = { closed: [], open: [] }
    let updates = 0
    await pay('warm-up')
    for (let number = 1; number <= rounds; number += 1) {
      done.closed.push(await pay(`closed-${number}`))
      const pages = await openPages(gateway.url, readers)
      done.open.push(await pay(`open-${number}`))
      updates += pages.close()
    }
    await report(done, updates)
  } finally {
    await database.close()
    await db.close()
    await gateway.stop()
  }
} finally {
  await receiver.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

interface Reader {
  clientId: number
  cookie: string
}

/** Fifty people of the first merchant, and one of each other. */
async function signReadersIn(db: Db, url: string): Promise<Reader[]> {
  const readers: Reader[] = []
  for (let index = 0; index < 2 * others; index += 1) {
    const merchant = Math.max(0, index - others + 1)
    const clientId = await clientIdOf(db, `Banc pages ${merchant}`)
    const { cookie } = await signIn(url, await addPerson({ db }, { clientId, role: 'owner' }))
    readers.push({ clientId, cookie })
  }
  return readers
}

/** Opens the streams of all pages; `close` ends them and tells how many updates they got. */
async function openPages(url: string, readers: Reader[]) {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const open: ClientRequest[] = []
  let updates = 0
  for (const { clientId, cookie } of readers) {
    const streams = Array.from({ length: pagesPerPerson }, (_, index) => {
      const home = index % 2 === 0 ? '&home=yes' : ''
      return new Promise<void>((resolve, reject) => {
        const address = `${url}/dashboard/live?client=${clientId}${home}`
        const request = get(address, { agent, headers: { cookie } }, (answer) => {
          if (answer.statusCode !== 200) return reject(new Error(`status ${answer.statusCode}`))
          answer.setEncoding('latin1')
          answer.on('data', (text: string) => {
            updates += text.split('\nid: ').length - 1 + (text.startsWith('id: ') ? 1 : 0)
          })
          answer.on('error', () => {})
          resolve()
        })
        request.on('error', reject)
        open.push(request)
      })
    })
    await Promise.all(streams)
  }
  const close = () => {
    for (const request of open) request.destroy()
    return updates
  }
  return { close }
}

/** A round with pages is compared with the one before it without. */
async function report(done: Record<'closed' | 'open', Round[]>, updates: number): Promise<void> {
  const spread = (of: (one: Round) => number) => {
    const ratios = done.open.map((one, index) => of(one) / of(done.closed[index] ?? one))
    return {
      closed: round(median(done.closed.map(of)), 3),
      open: round(median(done.open.map(of)), 3),
      ratio: round(median(ratios), 3),
    }
  }
  const figures = {
    costMs: spread(costOf),
    perSecond: spread(({ perSecond }) => perSecond),
    p95Ms: spread(({ latency }) => latency.p95),
    updatesPerRound: Math.round(updates / rounds),
  }
  console.log(JSON.stringify(figures, null, 2))
  const machine = describeMachine()
  console.log(
    `Kept as ${await keepResult(startedAt, 'open-pages.json', { machine, figures, done })}`,
  )
}
