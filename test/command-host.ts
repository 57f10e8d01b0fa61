import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { atEnd } from './at-end.ts'
import type { Ended } from './program.ts'

/*
 * A process that runs one command line after the other, as bin/passerelle.js runs one. Most of the
 * time of a command is that of starting its process and loading its modules.
 */
interface Order {
  args: string[]
  environment: Record<string, string | undefined>
  /** What is on standard input. */
  input: string | undefined
}

const path = fileURLToPath(import.meta.url)
if (process.argv[1] === path) serveOrders()

let host: ChildProcess | undefined
let isBusy = false
const waiting: (() => void)[] = []

/**
 * Runs a command in such a process, which the first one starts and all test files of this process
 * share. One at a time: arguments and environment are those of the whole process.
 */
export async function runInHost(order: Order): Promise<Ended> {
  if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve))
  isBusy = true
  try {
    return await ask(order)
  } finally {
    isBusy = waiting.length > 0
    waiting.shift()?.()
  }
}

async function ask(order: Order): Promise<Ended> {
  host ??= startHost()
  const died = new AbortController()
  const answered = once(host, 'message', { signal: died.signal })
  const onExit = (code: number | null, signal: string | null) =>
    died.abort(new Error(`the process of commands has ended (${code ?? signal})`))
  host.once('exit', onExit)
  host.send(order)
  const [ended] = (await answered) as [Ended]
  host.off('exit', onExit)
  return ended
}

function startHost(): ChildProcess {
  const started = fork(path, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  atEnd(async () => started.disconnect())
  return started
}

function serveOrders(): void {
  let runs = 0
  const { argv } = process
  // Each command adds its handlers, of signals and of output that nobody reads.
  for (const one of [process, process.stdout, process.stderr]) one.setMaxListeners(0)
  process.on('message', ({ args, environment, input }: Order) => {
    runs += 1
    process.argv = [...argv.slice(0, 2), ...args]
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, environment)
    process.exitCode = undefined
    const value = Readable.from(input === undefined ? [] : [Buffer.from(input)])
    Object.defineProperty(process, 'stdin', { value, configurable: true })
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      process[name].write = (text: Uint8Array | string) => {
        printed[name] += String(text)
        return true
      }
    // Only this module is evaluated again; those of the commands are loaded once.
    void import(`../src/cli.ts?run=${runs}`).then(() =>
      process.send?.({ code: Number(process.exitCode ?? 0), ...printed }),
    )
  })
}
