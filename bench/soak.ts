import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { round, slopeOf } from './figures.ts'
import { describeMachine } from './machine.ts'
import { optionsOrEnd, readSoakOptions } from './options.ts'
import { openGatewayDb } from './prepare.ts'
import type { Held, Roots } from './processes.ts'
import { heldBy, rootsOf } from './processes.ts'
import { runLoad, startGateway, startSink, webhooksAt } from './programs.ts'
import { openProgress } from './progress.ts'
import { openMax } from './round.ts'
import { scenarios } from './scenarios.ts'
import { lineChart } from './svg.ts'

/*
 * npm run bench:soak -- [--minutes 10] [--rate 100] [--clients 256] [--processes 1]
 *
 * Whole lives of payments at a steady rate, while once a second it is noted what the gateway holds:
 * memory, heap, descriptors, sockets. What grows without end shows as a slope. Without --rate the
 * load is as much as the gateway takes.
 */
const { minutes, rate, clients, processes } = optionsOrEnd('bench:soak', readSoakOptions)

interface Sample extends Held {
  second: number
  heapMb: number
  answered: number
}

const measures = ['rssMb', 'heapMb', 'descriptors', 'sockets'] as const
const progress = openProgress()
const startedAt = new Date()
const machine = describeMachine()
const dataDir = await mkdtemp(join(tmpdir(), 'passerelle-soak-'))
const sink = await startSink()
try {
  const gateway = await startGateway({ dataDir, processes })
  try {
    const samples = await soak(gateway.url, rootsOf(dataDir, gateway.pid))
    await report(samples)
  } finally {
    await gateway.stop()
  }
} finally {
  await sink.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

async function soak(url: string, roots: Roots): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedMs = performance.now()
  let answered = 0
  const sampling = setInterval(() => {
    const second = Math.round((performance.now() - startedMs) / 1000)
    void sample(url, roots, second, answered).then((one) => {
      samples.push(one)
      progress.now(
        `${second} s: ${one.rssMb} MB resident, ${one.heapMb} MB of heap, ` +
          `${one.descriptors} descriptors, ${answered} payments`,
      )
    })
  }, 1000)
  const life = scenarios.find(({ name }) => name === 'life')
  if (life === undefined) throw new Error('there is no scenario life')
  const name = `soak-${startedAt.getTime().toString(36)}`
  const db = openGatewayDb(join(dataDir, 'socket'))
  const requestsTo = await life.prepare({ gatewayUrl: url, db, sink, name })
  await db.close()
  const job = { url, clients, seconds: minutes * 60, rate, name }
  const webhookUrl = `${sink.url}/${name}`
  const webhooks = { url: webhookUrl, openMax }
  const load = await runLoad({ ...job, ...requestsTo(webhookUrl), webhooks }, (count) => {
    answered = count
  })
  const received = await webhooksAt(sink, `/${name}`, load.answered)
  clearInterval(sampling)
  progress.line(
    `${load.answered} payments in ${round(load.seconds, 0)} s, ${received.count} webhooks, ` +
      `p50 ${load.latency.p50} ms, p99 ${load.latency.p99} ms, ` +
      `errors ${JSON.stringify(load.errors)}`,
  )
  return samples
}

async function sample(url: string, roots: Roots, second: number, answered: number) {
  const held = heldBy('gateway', roots)
  const { body } = await request(`${url}/metrics`)
  const [, bytes] = /^nodejs_heap_size_used_bytes (\d+)/m.exec(await body.text()) ?? []
  const heapMb = round(Number(bytes ?? 0) / 2 ** 20, 1)
  return { ...held, rssMb: round(held.rssMb, 1), heapMb, second, answered }
}

async function report(samples: Sample[]): Promise<void> {
  // The first minute is spent on getting warm, or the first fifth of a short run.
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
  const folder = fileURLToPath(new URL('results/', import.meta.url))
  await mkdir(folder, { recursive: true })
  const stamp = startedAt.toISOString().replaceAll(/[:.]/g, '-').slice(0, 19)
  const path = join(folder, `${stamp}-soak`)
  const all = { startedAt, machine, minutes, rate, clients, processes, figures, samples }
  await writeFile(`${path}.json`, `${JSON.stringify(all, null, 2)}\n`)
  const line = (name: (typeof measures)[number], title: string, unit: string) => ({
    name: title,
    unit,
    points: samples.map((one): [number, number] => [one.second, one[name]]),
  })
  const plot = lineChart({
    title: `What the gateway holds over ${minutes} min of payments`,
    across: 'seconds',
    lines: [
      line('rssMb', 'Resident memory', 'MB'),
      line('heapMb', 'Heap in use', 'MB'),
      line('descriptors', 'Open descriptors', ''),
      line('sockets', 'Sockets among them', ''),
    ],
  })
  await writeFile(`${path}.svg`, plot)
  console.table(figures)
  console.log(`Kept as ${path}.json and .svg`)
}
