import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Ended } from './program.ts'

/*
 * A process that runs one command line after the other, as bin/passerelle.js runs one. Most of the
 * time of a command is that of starting its process and loading its modules.
 */
interface Order {
  args: string[]
  environment: Record<string, string | undefined>
}

const path = fileURLToPath(import.meta.url)
if (process.argv[1] === path) serveOrders()

/** Starts such a process with the first command; it ends with the test file. */
export function commandHost(): (order: Order) => Promise<Ended> {
  let host: ReturnType<typeof fork> | undefined
  let last: Promise<unknown> = Promise.resolve()
  const run = async (order: Order): Promise<Ended> => {
    if (host === undefined) {
      const started = fork(path, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      after(() => started.disconnect())
      host = started
    }
    const answered = once(host, 'message')
    host.send(order)
    const [ended] = (await answered) as [Ended]
    return ended
  }
  // One at a time: arguments and environment are those of the whole process.
  return (order) => {
    const ended = last.then(() => run(order))
    last = ended.catch(() => undefined)
    return ended
  }
}

function serveOrders(): void {
  let runs = 0
  const { argv } = process
  // Each command adds its handlers of signals.
  process.setMaxListeners(0)
  process.on('message', ({ args, environment }: Order) => {
    runs += 1
    process.argv = [...argv.slice(0, 2), ...args]
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, environment)
    process.exitCode = undefined
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
