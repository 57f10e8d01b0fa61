import assert from 'node:assert/strict'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const launcher = fileURLToPath(new URL('../bin/passerelle.js', import.meta.url))

// Far beyond what anything takes: whatever hangs fails, and does not hang the tests.
const timeoutMs = 180_000

type Environment = Record<string, string>

/** How a program ended and all that it printed. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Program {
  pid: number
  /** What it has printed so far. */
  printed(): string
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ended>
}

export interface Gateway extends Program {
  url: string
  /** The status of `GET path` with a key, and its answer. */
  get(path: string, key?: string): Promise<{ status: number; body: Record<string, unknown> }>
  /** Asks it to stop, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts `passerelle WORDS` as a process of its own that knows only this environment. */
export function startProgram(words: string[], environment: Environment): Program {
  return follow(spawn(process.execPath, [launcher, ...words], optionsOf(environment)))
}

/** Runs `passerelle WORDS` to its end. */
export function runProgram(words: string[], environment: Environment): Promise<Ended> {
  return startProgram(words, environment).ended
}

/** Runs words of a shell to their end. */
export function runShell(script: string, environment: Environment): Promise<Ended> {
  return follow(spawn('/bin/sh', ['-c', script], optionsOf(environment))).ended
}

/** Whether this machine can play a terminal. */
export const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script')

/** Runs `passerelle WORDS` on a terminal; both outputs come back as one. */
export function runOnTerminal(line: string, environment: Environment): Promise<Ended> {
  const command = `'${process.execPath}' '${launcher}' ${line}`
  return runShell(`script --quiet --return --command "${command}" /dev/null`, environment)
}

/** `passerelle` on one installation; each word that has spaces goes between quotes. */
export function commandLine(environment: Environment) {
  const run = (line: string, more: Environment = {}) =>
    runProgram(wordsOf(line), { ...environment, ...more })
  return {
    run,
    /** For a command that must work: what it prints. */
    text: async (line: string, more: Environment = {}): Promise<string> => {
      const { code, stdout, stderr } = await run(line, more)
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, line)
      return stdout
    },
    /** The same with --json. */
    json: async (line: string, more: Environment = {}) => {
      const { code, stdout, stderr } = await run(`${line} --json`, more)
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, line)
      return JSON.parse(stdout)
    },
  }
}

/** Starts the gateway on a port that the system chooses and waits until it says it is ready. */
export async function startGateway(
  environment: Environment,
  options: string[] = [],
): Promise<Gateway> {
  const program = startProgram(['serve', ...options], { PORT: '0', ...environment })
  const isOver = program.ended.then(() => true)
  while (!program.printed().includes('Passerelle is ready'))
    if (await Promise.race([isOver, sleep(20, false)]))
      throw new Error(`the gateway ended: ${JSON.stringify(await program.ended)}`)
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(program.printed()) ?? []
  return {
    ...program,
    url,
    get: async (path, key) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const answer = await fetch(`${url}${path}`, { headers })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.startsWith('application/json')
      return { status: answer.status, body: isJson ? JSON.parse(text) : {} }
    },
    stop: (signal = 'SIGTERM') => {
      program.kill(signal)
      return program.ended
    },
  }
}

/** A folder for DATA_DIR; what still runs on it when the tests are over is ended, by its number. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-program-'))
  after(async () => {
    const left = [await postmasterOf(folder), await labOf(folder)].filter((pid) => pid !== null)
    for (const pid of left) {
      process.kill(pid, 'SIGQUIT')
      await isGone(pid)
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** The number of the PostgreSQL that runs on a data folder, or null. */
export function postmasterOf(folder: string): Promise<number | null> {
  return runningIn(join(folder, 'postgres/postmaster.pid'), (text) => text.split('\n')[0])
}

/** The number of the provider lab that runs for a data folder, or null. */
export function labOf(folder: string): Promise<number | null> {
  return runningIn(join(folder, 'lab.json'), (text) => JSON.parse(text).pid)
}

/** The numbers of the processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number).filter(isRunning)
}

/** Waits until a process is gone; false when it is still there after a minute. */
export async function isGone(pid: number): Promise<boolean> {
  for (let polls = 0; polls < 3000 && isRunning(pid); polls += 1) await sleep(20)
  return !isRunning(pid)
}

/** The names of the files of a folder, in order. */
export async function filesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort((a, b) => a.localeCompare(b))
}

/** Fails unless a program said no in these sentences on standard error, and nothing else. */
export function assertRefused({ code, stdout, stderr }: Ended, ...sentences: RegExp[]): void {
  const lines = stderr.split('\n').filter(Boolean)
  const all = JSON.stringify({ code, stdout, stderr })
  assert.equal(code, 1, all)
  assert.equal(lines.length, sentences.length, all)
  for (const [index, sentence] of sentences.entries()) assert.match(lines[index] ?? '', sentence)
}

function optionsOf(environment: Environment): SpawnOptions {
  const { PATH, HOME, TMPDIR } = process.env
  const env = { PATH, HOME, TMPDIR, ...environment }
  return { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' }
}

const living = new Set<ChildProcess>()
// Tests that fail half-way leave programs behind.
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

function follow(child: ChildProcess): Program {
  living.add(child)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    living.delete(child)
    return { code: code ?? null, ...printed }
  })
  return {
    pid: child.pid ?? 0,
    printed: () => printed.stdout,
    kill: (signal) => void child.kill(signal),
    ended,
  }
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

async function runningIn(
  path: string,
  pidOf: (text: string) => string | number | null | undefined,
): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const pid = text === undefined ? 0 : Number(pidOf(text) ?? 0)
  return pid > 0 && isRunning(pid) ? pid : null
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that ended and that nobody has asked about yet is still listed, as a zombie.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
