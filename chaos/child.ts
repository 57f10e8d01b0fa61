import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program that was started here, and is signalled only by the pid that it was started with. */
export interface Child {
  name: string
  pid: number
  isRunning(): boolean
  signal(signal: NodeJS.Signals): void
  /** Sends a signal and waits until the program has ended. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Resolves when it has ended. */
  ended: Promise<void>
}

interface Start {
  name: string
  command: string[]
  env?: NodeJS.ProcessEnv
  /** Where both outputs go. */
  logPath: string
  more?: { uid?: number; gid?: number; cwd?: string; detached?: boolean }
}

/** Starts a program whose output goes to a file. */
export function startChild({ name, command, env = process.env, logPath, more = {} }: Start): Child {
  refuseWhenStopped()
  const [file = '', ...args] = command
  const log = openSync(logPath, 'a')
  try {
    return follow(name, spawn(file, args, { env, stdio: ['ignore', log, log], ...more }))
  } finally {
    closeSync(log)
  }
}

/** A program that is given a job on standard input and prints lines of JSON. */
export interface TalkingChild extends Child {
  /** Its next line; undefined when there is none any more. */
  next(): Promise<unknown>
  lines: AsyncIterable<unknown>
}

/** Starts a TypeScript program of this folder; its errors go to ours. */
export function startTalking(
  { name, file, args = [] }: { name: string; file: string; args?: string[] },
  job?: unknown,
): TalkingChild {
  refuseWhenStopped()
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  if (job !== undefined) child.stdin.write(`${JSON.stringify(job)}\n`)
  const lines = linesOf(child)
  return {
    ...follow(name, child),
    next: async () => (await lines.next()).value,
    lines,
  }
}

async function* linesOf(child: ChildProcess): AsyncGenerator {
  if (child.stdout === null) return
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line)
}

const running = new Set<ChildProcess>()

let isStopped = false

/**
 * Kills every program that was started here and still runs, and lets none be started any more: for
 * a run that is interrupted. Whatever it was doing fails then, and cleans up.
 */
export function killAll(): void {
  isStopped = true
  for (const child of running) {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  }
}

/** Throws when the run was interrupted: for whatever waits long and starts nothing. */
export function refuseWhenStopped(): void {
  if (isStopped) throw new Error('the run was interrupted')
}

function follow(name: string, child: ChildProcess): Child {
  let isRunning = child.pid !== undefined
  running.add(child)
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isRunning = false
      running.delete(child)
      resolve()
    }
    child.once('exit', end)
    child.once('error', end)
  })
  const signal = (one: NodeJS.Signals) => {
    if (isRunning) child.kill(one)
  }
  return {
    name,
    pid: child.pid ?? 0,
    isRunning: () => isRunning,
    signal,
    ended,
    end: async (one) => {
      signal(one)
      await ended
    },
  }
}

/** The job that a program was given on standard input: one line of JSON. */
export async function readJob<Job>(): Promise<Job> {
  const lines = createInterface({ input: process.stdin })
  const [line] = (await once(lines, 'line')) as [string]
  return JSON.parse(line) as Job
}
