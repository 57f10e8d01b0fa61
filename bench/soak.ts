import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { runLoad, startGateway, startWebhookReceiver, waitForWebhooks } from './child-processes.ts'
import { openGatewayDb } from './gateway-database.ts'
import { describeMachine } from './machine-description.ts'
import { readOptionsOrExit, readSoakOptions } from './options.ts'
import {
  findRootPids,
  type HeldResources,
  type RootPids,
  readHeldResources,
} from './process-usage.ts'
import { openProgress } from './progress.ts'
import { keepResult } from './results-folder.ts'
import { openPaymentsMax } from './round.ts'
import { lifeScenario } from './scenarios.ts'
import { round, slopeOf } from './statistics.ts'

const usage = `npm run bench soak -- [--minutes 10] [--rate 100] [--clients 256]

Runs whole lives of payments at a steady rate and reads once a second what the gateway holds:
memory, heap, descriptors, sockets. A leak shows as a slope. Without --rate the load is the most
that the gateway can do.`
const { minutes, rate, clients } = readOptionsOrExit(
  { program: 'bench soak', usage },
  readSoakOptions,
)

interface Sample extends HeldResources {
  second: number
  heapMb: number
  answered: number
}

const measures = ['rssMb', 'heapMb', 'descriptors', 'sockets'] as const
const progress = openProgress()
const startedAt = new Date()
const machine = describeMachine()
const dataDir = await mkdtemp(join(tmpdir(), 'passerelle-soak-'))
const receiver = await startWebhookReceiver()
try {
  const gateway = await startGateway({ dataDir })
  try {
    const samples = await soak(gateway.url, findRootPids(dataDir, gateway.pid))
    await report(samples)
  } finally {
    await gateway.stop()
  }
} finally {
  await receiver.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

async function soak(url: string, roots: RootPids): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedMs = performance.now()
  let answered = 0
  const sampling = setInterval(() => {
    const second = Math.round((performance.now() - startedMs) / 1000)
    void takeSample(url, roots, second, answered).then((one) => {
      samples.push(one)
      progress.now(
        `${second} s: ${one.rssMb} MB resident, ${one.heapMb} MB of heap, ` +
          `${one.descriptors} descriptors, ${answered} payments`,
      )
    })
  }, 1000)
  const name = `soak-${startedAt.getTime().toString(36)}`
  const db = openGatewayDb(join(dataDir, 'socket'))
  const requestsTo = await lifeScenario.prepare({ gatewayUrl: url, db, receiver, name })
  await db.close()
  const job = { url, clients, seconds: minutes * 60, rate, name }
  const webhookUrl = `${receiver.url}/${name}`
  const webhooks = { url: webhookUrl, openPaymentsMax }
  const load = await runLoad({ ...job, ...requestsTo(webhookUrl), webhooks }, (count) => {
    answered = count
  })
  const received = await waitForWebhooks(receiver, `/${name}`, load.answered)
  clearInterval(sampling)
  progress.line(
    `${load.answered} payments in ${round(load.seconds, 0)} s, ${received.count} webhooks, ` +
      `p50 ${load.latency.p50} ms, p99 ${load.latency.p99} ms, ` +
      `errors ${JSON.stringify(load.errors)}`,
  )
  return samples
}

async function takeSample(url: string, roots: RootPids, second: number, answered: number) {
  const held = readHeldResources('gateway', roots)
  const { body } = await request(`${url}/metrics`)
  const [, bytes] = /^nodejs_heap_size_used_bytes (\d+)/m.exec(await body.text()) ?? []
  const heapMb = round(Number(bytes ?? 0) / 2 ** 20, 1)
  return { ...held, rssMb: round(held.rssMb, 1), heapMb, second, answered }
}

async function report(samples: Sample[]): Promise<void> {
  // Leaves out the warm-up: the first minute, or the first fifth of a short run.
  const steady = samples.slice(Math.min(60, Math.floor(samples.length / 5)))
  const figures = Object.fromEntries(
    measures.map((name) => [
      name,
      {
        first: steady[0]?.[name] ?? 0,
        last: steady.at(-1)?.[name] ?? 0,
        max: Math.max(...samples.map((one) => one[name])),
        perMinute: round(60 * slopeOf(steady.map((one) => [one.second, one[name]])), 2),
      },
    ]),
  )
  const all = { startedAt, machine, minutes, rate, clients, figures, samples }
  const path = await keepResult(startedAt, 'soak.json', all)
  console.table(figures)
  console.log(`Kept as ${path}`)
}
