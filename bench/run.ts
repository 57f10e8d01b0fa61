import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { CpuMeter } from './cpu.ts'
import { meterCpu, processesUnder } from './cpu.ts'
import type { LoadReport } from './load.ts'
import { runPgbench } from './pgbench.ts'

/*
 * npm run bench -- [--clients 64] [--seconds 10] [--json]
 *
 * A gateway as `npm start` makes it, durable, with its lab and a webhook sink beside it, under load
 * from another process; then pgbench's TPC-B on the same database, for a ratio that means the same
 * on every machine. Everything runs on this machine and stops by itself.
 */
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const clients = Number(values.clients)
const seconds = Number(values.seconds)
const say = (line: string) => void (values.json || console.log(line))

const folder = await mkdtemp(join(tmpdir(), 'passerelle-bench-'))
const gateway = await startGateway(folder)
const sink = await startProgram('sink.ts', [])
try {
  say(`gateway at ${gateway.url}, ${clients} clients, ${seconds} s`)
  await runLoad(2, 'warming up')
  const meter = meterCpu(processesUnder(gateway.pid))
  const load = await runLoad(seconds, 'init to final status')
  const cpu = meter.stop()
  const finished = await waitForEnd(load)
  say('pgbench TPC-B on the same database')
  const tpcb = await runPgbench(databaseFolder(), { clients: 16, seconds })
  const [webhooks, delays] = [await countWebhooks(), await measureDelays(load)]
  report({ load, finished, tpcb, cpu, webhooks, delays })
} finally {
  gateway.child.kill('SIGTERM')
  sink.child.kill('SIGTERM')
  await once(gateway.child, 'exit')
  await rm(folder, { recursive: true, force: true })
}

interface Finished {
  count: number
  perSecond: number
}

interface Figures {
  load: LoadReport
  finished: Finished
  tpcb: number | null
  cpu: ReturnType<CpuMeter['stop']>
  webhooks: number
  delays: { p50: number; p99: number }
}

function report({ load, finished, tpcb, cpu, webhooks, delays }: Figures): void {
  const ratio = (rate: number) => (tpcb === null ? null : Math.round((100 * rate) / tpcb) / 100)
  const figures = {
    clients,
    seconds,
    accepted: load.accepted,
    acceptedPerSecond: Math.round(load.accepted / load.seconds),
    refused: load.refused,
    p50Ms: load.p50Ms,
    p99Ms: load.p99Ms,
    finished: finished.count,
    finishedPerSecond: Math.round(finished.perSecond),
    webhooks,
    webhookP50Ms: delays.p50,
    webhookP99Ms: delays.p99,
    tpcbPerSecond: tpcb === null ? null : Math.round(tpcb),
    acceptedToTpcb: ratio(load.accepted / load.seconds),
    finishedToTpcb: ratio(finished.perSecond),
    cpuCores: cpu,
  }
  if (values.json) console.log(JSON.stringify(figures, null, 2))
  else
    console.table(
      Object.entries(figures).map(([figure, value]) => ({ figure, value: show(value) })),
    )
}

function show(value: unknown): string {
  if (value === null) return 'pgbench is not installed'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function startGateway(dataDir: string) {
  const cli = fileURLToPath(new URL('../bin/passerelle.js', import.meta.url))
  const child = spawn(process.execPath, [cli, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', LAB_PORT: '0' },
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /API +(http\S+)\/api\/v1/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return { child, url, pid: child.pid ?? 0 }
  }
  throw new Error('the gateway did not start')
}

async function startProgram(name: string, words: string[]) {
  const program = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const [first] = (await once(lines, 'line')) as [string]
  return { child, told: JSON.parse(first) }
}

async function runLoad(forSeconds: number, title: string): Promise<LoadReport> {
  say(title)
  const words = [gateway.url, sink.told.url, String(clients), String(forSeconds)]
  const { told, child } = await startProgram('load.ts', words)
  if (child.exitCode === null) await once(child, 'exit')
  return told as LoadReport
}

/** Waits until every transaction has ended; the rate counts from the first init to the last end. */
async function waitForEnd(load: LoadReport): Promise<Finished> {
  const client = await connect()
  try {
    for (;;) {
      const { rows } = await client.query(
        `select count(*)::integer as all, count(completed_at)::integer as done,
          extract(epoch from max(completed_at) - min(created_at))::float as seconds
        from transactions where created_at >= $1`,
        [load.startedAt],
      )
      const { all, done, seconds: took } = rows[0]
      if (all === done) return { count: done, perSecond: done / took }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    await client.end()
  }
}

/** From the moment an event became true to the receiver's answer. */
async function measureDelays(load: LoadReport): Promise<{ p50: number; p99: number }> {
  const client = await connect()
  try {
    const { rows } = await client.query(
      `select percentile_disc(array[0.5, 0.99]) within group (order by round(
          extract(epoch from a.at - e.created_at) * 1000 + a.duration_ms)) as delays
        from events e
        join deliveries d on (d.client_id, d.event_id) = (e.client_id, e.id)
        join delivery_attempts a on (a.client_id, a.delivery_id) = (d.client_id, d.id)
        where e.created_at >= $1 and a.number = 1`,
      [load.startedAt],
    )
    const [p50, p99] = (rows[0].delays ?? []).map(Number)
    return { p50, p99 }
  } finally {
    await client.end()
  }
}

async function countWebhooks(): Promise<number> {
  const answer = await fetch(sink.told.url)
  return Number(await answer.text())
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({
    host: databaseFolder(),
    user: 'passerelle',
    database: 'passerelle',
  })
  await client.connect()
  return client
}

function databaseFolder(): string {
  return join(folder, 'socket')
}
