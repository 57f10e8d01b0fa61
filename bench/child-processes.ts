import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { LoadJob, LoadReport } from './load-job.ts'
import type { ReceivedWebhooks } from './webhook-receiver.ts'

/** A gateway started as `npm start` does, with its database and its lab. */
export interface Gateway {
  url: string
  pid: number
  dataDir: string
  /** The folder of its PostgreSQL's socket. */
  socketFolder: string
  stop(): Promise<void>
}

export interface GatewayOptions {
  dataDir: string
  /** The folder of another checkout, whose gateway it is. */
  checkout?: string
  /** Where the gateway writes a processor profile when it stops. */
  profileFolder?: string | null
  environment?: Record<string, string>
}

const { scripts } = JSON.parse(readFileSync(pathOf('../package.json'), 'utf8'))
/** The flags that `npm start` gives to Node. */
const startFlags: string[] = scripts.start.match(/--\S+/g)

/** Starts the gateway on a data folder, on free ports. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { dataDir, profileFolder = null, environment = {} } = options
  const { checkout = pathOf('..') } = options
  const cli = join(checkout, 'bin/passerelle.js')
  const profile = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const args = [...startFlags, ...profile, cli, 'serve']
  // The log goes to a file, as in a service: reading it from a pipe would take processor time here.
  await mkdir(dataDir, { recursive: true })
  const logFile = join(dataDir, 'gateway.log')
  const log = await open(logFile, 'w')
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', log.fd, 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      LAB_PORT: '0',
      DEMO_HISTORY: '0',
      ...environment,
    },
  })
  endOnSignal(child)
  await log.close()
  const stop = () => terminate(child)
  while (child.exitCode === null) {
    const [, url] = /API +(http\S+)\/api\/v1/.exec(await readFile(logFile, 'utf8')) ?? []
    const socketFolder = join(dataDir, 'socket')
    if (url !== undefined) return { url, pid: child.pid ?? 0, dataDir, socketFolder, stop }
    await sleep(50)
  }
  throw new Error('the gateway did not start')
}

/** The webhook receiver (webhook-receiver.ts), a merchant's server in a process of its own. */
export interface WebhookReceiver {
  url: string
  pid: number
  received(path: string): Promise<ReceivedWebhooks>
  stop(): Promise<void>
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const child = spawn(process.execPath, [pathOf('webhook-receiver.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endOnSignal(child)
  const [firstLine] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url } = JSON.parse(firstLine) as { url: string }
  return {
    url,
    pid: child.pid ?? 0,
    received: async (path) => {
      const { body } = await request(`${url}${path}`)
      return (await body.json()) as ReceivedWebhooks
    },
    stop: () => terminate(child),
  }
}

const webhookTimeoutMs = 20_000

/** Waits until `count` webhooks have arrived at a path, or none has for 20 s. */
export async function waitForWebhooks(
  receiver: WebhookReceiver,
  path: string,
  count: number,
): Promise<ReceivedWebhooks> {
  let last = await receiver.received(path)
  let changedMs = performance.now()
  while (last.count < count && performance.now() - changedMs < webhookTimeoutMs) {
    await sleep(50)
    const now = await receiver.received(path)
    if (now.count > last.count) changedMs = performance.now()
    last = now
  }
  return last
}

/** Runs a job in a load-generator process of its own; `onProgress` is called each second. */
export async function runLoad(
  job: LoadJob,
  onProgress: (answered: number) => void = () => {},
): Promise<LoadReport> {
  const child = spawn(process.execPath, [pathOf('load-generator.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  endOnSignal(child)
  child.stdin.end(JSON.stringify(job))
  let report: LoadReport | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as { report?: LoadReport; answered?: number }
    report = message.report ?? report
    if (message.answered !== undefined) onProgress(message.answered)
  }
  if (report === undefined) throw new Error('the load ended without a report')
  return report
}

const running = new Set<ChildProcess>()
const endSignals = ['SIGINT', 'SIGTERM'] as const
const cleanUpMs = 10_000

/**
 * Ends a process when this one is told to end. Without its processes the benchmark fails where it
 * is, and removes its files as after any failure.
 */
function endOnSignal(child: ChildProcess): void {
  if (running.size === 0) for (const signal of endSignals) process.on(signal, endAll)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size === 0) for (const signal of endSignals) process.off(signal, endAll)
  })
}

function endAll(): void {
  for (const child of running) child.kill('SIGTERM')
  setTimeout(() => process.exit(1), cleanUpMs).unref()
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
