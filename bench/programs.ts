import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { Job, LoadReport } from './load.ts'
import type { Received } from './sink.ts'

/** A gateway as `npm start` makes it, with its database and its lab. */
export interface Gateway {
  url: string
  pid: number
  dataDir: string
  /** Of its PostgreSQL. */
  socketFolder: string
  stop(): Promise<void>
}

interface GatewayOrder {
  dataDir: string
  processes?: number
  /** Where to leave a profile of its processor time when it ends. */
  profileFolder?: string | null
  environment?: Record<string, string>
}

/** Starts the gateway on a data folder, on ports that the system chooses. */
export async function startGateway(order: GatewayOrder): Promise<Gateway> {
  const { dataDir, processes = 1, profileFolder = null, environment = {} } = order
  const cli = pathOf('../bin/passerelle.js')
  const profile = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const words = [...profile, cli, 'serve', '--processes', String(processes)]
  // A file, as in a service: whoever read its log here would take part of the processors.
  await mkdir(dataDir, { recursive: true })
  const logFile = join(dataDir, 'gateway.log')
  const log = await open(logFile, 'w')
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', log.fd, 'inherit'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', LAB_PORT: '0', ...environment },
  })
  await log.close()
  const stop = () => end(child)
  while (child.exitCode === null) {
    const [, url] = /API +(http\S+)\/api\/v1/.exec(await readFile(logFile, 'utf8')) ?? []
    const socketFolder = join(dataDir, 'socket')
    if (url !== undefined) return { url, pid: child.pid ?? 0, dataDir, socketFolder, stop }
    await sleep(50)
  }
  throw new Error('the gateway did not start')
}

/** A merchant's server, as a process of its own. */
export interface Sink {
  url: string
  pid: number
  received(address: string): Promise<Received>
  stop(): Promise<void>
}

export async function startSink(): Promise<Sink> {
  const child = spawn(process.execPath, [pathOf('sink.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }
  return {
    url,
    pid: child.pid ?? 0,
    received: async (address) => {
      const { body } = await request(`${url}${address}`)
      return (await body.json()) as Received
    },
    stop: () => end(child),
  }
}

const patienceMs = 20_000

/** Waits until as many webhooks have come, or none any more for a while; tells what has come. */
export async function webhooksAt(sink: Sink, address: string, count: number): Promise<Received> {
  let last = await sink.received(address)
  let movedMs = performance.now()
  while (last.count < count && performance.now() - movedMs < patienceMs) {
    await sleep(50)
    const now = await sink.received(address)
    if (now.count > last.count) movedMs = performance.now()
    last = now
  }
  return last
}

/** Runs a load to its end, in a process of its own; `progress` hears of it each second. */
export async function runLoad(
  job: Job,
  progress: (answered: number) => void = () => {},
): Promise<LoadReport> {
  const child = spawn(process.execPath, [pathOf('load.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(job))
  let found: LoadReport | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { report?: LoadReport; answered?: number }
    found = told.report ?? found
    if (told.answered !== undefined) progress(told.answered)
  }
  if (found === undefined) throw new Error('the load ended without a report')
  return found
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
