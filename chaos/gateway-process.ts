import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { makeFolders } from '#base/kit/folders.ts'
import { type Child, startChild } from './child.ts'

/** A process of the gateway, at an address that stays the same when it is started again. */
export interface GatewayProcess {
  name: string
  url: string
  pid(): number
  isRunning(): boolean
  start(): Promise<void>
  /** From its next start on it runs the program in this folder. */
  use(program: string): void
  /** Waits until /readyz answers 200; throws after ten minutes. */
  untilReady(): Promise<void>
  signal(signal: NodeJS.Signals): void
  end(signal: NodeJS.Signals): Promise<void>
}

export interface GatewayOptions {
  index: number
  port: number
  folder: string
  environment: Record<string, string>
  /** Options of `passerelle serve`. */
  args?: string[]
  /** Options of Node itself. */
  nodeArgs?: string[]
  /** What comes before the command: such as another network namespace. */
  prefix?: string[]
  host?: string
  /** The folder of the program, if it is not this one. */
  program?: string
}

const limits = { headersTimeout: 3000, bodyTimeout: 3000 }
/** The folder of the program that this file belongs to. */
export const ownProgram = fileURLToPath(new URL('../', import.meta.url))
// Far beyond any start: on a machine that others keep busy one takes minutes.
const readyMsMax = 600_000

export async function createGateway(options: GatewayOptions): Promise<GatewayProcess> {
  const { index, port, folder, environment, args = [], nodeArgs = [], prefix = [] } = options
  const { host = '127.0.0.1' } = options
  let { program = ownProgram } = options
  const name = `gateway-${index}`
  const url = `http://${host}:${port}`
  const dataDir = join(folder, name)
  await makeFolders(dataDir)
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
    DEMO_HISTORY: '0',
    ...environment,
  }
  const logPath = join(folder, `${name}.log`)
  let child: Child | undefined

  async function isReady(): Promise<boolean> {
    try {
      const { statusCode, body } = await request(`${url}/readyz`, limits)
      await body.text()
      return statusCode === 200
    } catch {
      return false
    }
  }

  async function untilReady(): Promise<void> {
    const endMs = performance.now() + readyMsMax
    while (!(await isReady())) {
      const isOver = !child?.isRunning()
      if (isOver || performance.now() > endMs) {
        const printed = readFileSync(logPath, 'utf8').slice(-2000)
        throw new Error(
          `${name} ${isOver ? 'ended while it started' : 'is not ready'}:\n${printed}`,
        )
      }
      await sleep(20)
    }
  }

  return {
    name,
    url,
    pid: () => child?.pid ?? 0,
    isRunning: () => child?.isRunning() ?? false,
    untilReady,
    start: async () => {
      const node = [process.execPath, ...nodeArgs, launcherIn(program)]
      child = startChild({ name, command: [...prefix, ...node, 'serve', ...args], env, logPath })
    },
    use: (folder) => {
      program = folder
    },
    signal: (signal) => child?.signal(signal),
    end: async (signal) => child?.end(signal),
  }
}

/** What starts the program in a folder. */
export function launcherIn(program: string): string {
  return join(program, 'bin/passerelle.js')
}
