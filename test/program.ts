import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sendSignal } from '#data/postgres/embedded.ts'
import { runInHost } from './command-host.ts'
import { copyFolder } from './copy-folder.ts'
import { testPassword } from './dashboard.ts'
import { haveServer } from './own-server.ts'
import { sized } from './size.ts'

export const launcher = fileURLToPath(new URL('../bin/passerelle.js', import.meta.url))

// Much longer than any program of a test takes: one that hangs is killed, and its test fails.
const testTimeoutMs = 600_000

type Environment = Record<string, string>

/** The exit code of a program and all that it printed. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Program {
  pid: number
  /** What it has printed on standard output so far. */
  printed(): string
  /** What it has printed on standard error so far. */
  told(): string
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ended>
}

export interface Gateway extends Program {
  url: string
  /** Sends `GET path`, with a key if one is given. */
  get(path: string, key?: string): Promise<{ status: number; body: Record<string, unknown> }>
  /** Sends it a signal, SIGTERM unless another is given, and waits until it has exited. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts `passerelle ARGUMENTS` in a process with these environment variables only. */
export function startProgram(
  args: string[],
  environment: Environment,
  timeoutMs = testTimeoutMs,
  path = launcher,
): Program {
  const options = optionsOf(environment, timeoutMs)
  const program = follow(spawn(process.execPath, [path, ...args], options))
  const folder = environment.DATA_DIR ?? ''
  usersOf.set(folder, [...(usersOf.get(folder) ?? []), program])
  return program
}

/** The programs that were started on each data folder. */
const usersOf = new Map<string, Program[]>()

/** Runs `passerelle ARGUMENTS` to its end, with nothing or a text on standard input. */
export function runProgram(
  args: string[],
  environment: Environment,
  input?: string,
): Promise<Ended> {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const options: SpawnOptions = { ...optionsOf(environment), stdio: [stdin, 'pipe', 'pipe'] }
  const child = spawn(process.execPath, [launcher, ...args], options)
  child.stdin?.end(input)
  return follow(child).ended
}

/** Starts a shell script. */
export function startShell(script: string, environment: Environment): Program {
  return follow(spawn('/bin/sh', ['-c', script], optionsOf(environment)))
}

/** Runs a shell script to its end. */
export function runShell(script: string, environment: Environment): Promise<Ended> {
  return startShell(script, environment).ended
}

/** Runs `passerelle ARGUMENTS` on a pseudo-terminal; both outputs come back as one. */
export function runOnTerminal(args: string, environment: Environment): Promise<Ended> {
  const command = `'${process.execPath}' '${launcher}' ${args}`
  return runShell(`script --quiet --return --command "${command}" /dev/null`, environment)
}

/** Starts it on a pseudo-terminal that can be typed on: `\r` is Enter, `\u0003` is Ctrl-C. */
export function startOnTerminal(
  args: string,
  environment: Environment,
): Program & { type(text: string): void } {
  const command = `'${process.execPath}' '${launcher}' ${args}`
  const script = ['--quiet', '--return', '--command', command, '/dev/null']
  const options: SpawnOptions = { ...optionsOf(environment), stdio: ['pipe', 'pipe', 'pipe'] }
  const child = spawn('script', script, options)
  return { ...follow(child), type: (text) => void child.stdin?.write(text) }
}

const movesBatch = /^batch (?!list|show|result)/
const movesMoney =
  /^(client (fund|withdraw|adjust)|transaction (resolve|send-back)|recon (import|mend)) /

/**
 * Runs `passerelle` on one installation; an argument with spaces is put in double quotes. All
 * commands run in one process, which is twenty times faster than one for each, as at full size.
 */
export function commandLine(
  environment: Environment,
  processes: 'one each' | 'shared' = sized('shared', 'shared', 'one each'),
  /** Who moves money by these commands, with the password of tests. */
  by: string | null = null,
) {
  const run = (given: string, more: Environment = {}, typed?: string) => {
    const isNamed = by !== null && movesMoney.test(given) && !given.includes('--by ')
    const isBatch = movesBatch.test(given) && typed === undefined
    const named = isNamed ? `${given} --by ${by}` : given
    const args = isNamed || isBatch ? `${named} --password-stdin` : named
    const input = isNamed || isBatch ? `${testPassword}\n\n${typed ?? ''}` : typed
    const own = { ...environment, ...more }
    return processes === 'shared'
      ? runInHost({ args: splitArguments(args), environment: environmentOf(own), input })
      : runProgram(splitArguments(args), own, input)
  }
  /** Runs a command that must succeed, and returns what it prints. */
  async function text(args: string, more: Environment = {}): Promise<string> {
    const { code, stdout, stderr } = await run(args, more)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, args)
    return stdout
  }
  return {
    run,
    text,
    /** The same with --json. */
    json: async (args: string, more: Environment = {}) =>
      JSON.parse(await text(`${args} --json`, more)),
  }
}

/** Starts the gateway on a port that the system chooses and waits until it says it is ready. */
export async function startGateway(
  environment: Environment,
  options: string[] = [],
  timeoutMs = testTimeoutMs,
): Promise<Gateway> {
  const own = { PORT: '0', ...environment }
  const program = startProgram(['serve', ...options], own, timeoutMs)
  const isOver = program.ended.then(() => true)
  // From the banner: lines of the log may name other addresses.
  const addressOf = () =>
    /(?:Health +|listening on )(http:\/\/127\.0\.0\.1:\d+)/.exec(program.printed())?.[1]
  let url = addressOf()
  while (url === undefined) {
    if (await Promise.race([isOver, sleep(20, false)]))
      throw new Error(`the gateway ended: ${JSON.stringify(await program.ended)}`)
    url = addressOf()
  }
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

/**
 * A folder for DATA_DIR, empty or with a migrated PostgreSQL, which takes seconds to make. After
 * the tests it is deleted, and whatever still uses it is stopped: the programs that were started on
 * it first, since they start a PostgreSQL or lab that dies again.
 */
export async function dataFolder(content: 'empty' | 'migrated' = 'empty'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-program-'))
  await haveServer()
  if (content === 'migrated') await copyFolder(preparedCluster(), join(folder, 'postgres'))
  after(async () => {
    for (const program of usersOf.get(folder) ?? []) program.kill('SIGKILL')
    await Promise.all((usersOf.get(folder) ?? []).map(({ ended }) => ended))
    const left = [await postmasterOf(folder), await labOf(folder)].filter((pid) => pid !== null)
    for (const pid of left) {
      sendSignal(pid, 'SIGQUIT')
      await isGone(pid)
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** The files of a PostgreSQL that has our schema and was stopped, to be copied. */
export function preparedCluster(): string {
  return join(process.env.TEST_DATA_FOLDER ?? '', 'postgres')
}

/** The pid of the PostgreSQL that runs on a data folder, or null. */
export function postmasterOf(folder: string): Promise<number | null> {
  return readRunningPid(join(folder, 'postgres/postmaster.pid'), (text) => text.split('\n')[0])
}

/** The pid of the provider lab that runs for a data folder, or null. */
export function labOf(folder: string): Promise<number | null> {
  return readRunningPid(join(folder, 'lab.json'), (text) => JSON.parse(text).pid)
}

/** The pids of the running children of a process. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number).filter(isRunning)
}

/** Whether a process has handled every signal it was sent, and waits for something else. */
export async function isIdle(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: S\nShdPnd: 0')
  return /^State:\s+S/m.test(status) && /^ShdPnd:\s+0+$/m.test(status)
}

/** Waits until a process has exited; false when it still runs after a minute. */
export async function isGone(pid: number): Promise<boolean> {
  for (let polls = 0; polls < 3000 && isRunning(pid); polls += 1) await sleep(20)
  return !isRunning(pid)
}

/** The names of the files of a folder, in order. */
export async function filesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort((a, b) => a.localeCompare(b))
}

/** Fails unless a program exited with 1 and printed just these sentences, on standard error. */
export function assertRefused({ code, stdout, stderr }: Ended, ...sentences: RegExp[]): void {
  const lines = stderr.split('\n').filter(Boolean)
  const all = JSON.stringify({ code, stdout, stderr })
  assert.equal(code, 1, all)
  assert.equal(lines.length, sentences.length, all)
  for (const [index, sentence] of sentences.entries()) assert.match(lines[index] ?? '', sentence)
}

/** What programs inherit of our own environment, and what a test adds; without a past. */
function environmentOf(environment: Environment): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, DEMO_HISTORY: '0', ...environment }
}

function optionsOf(environment: Environment, timeoutMs = testTimeoutMs): SpawnOptions {
  const env = environmentOf(environment)
  return { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' }
}

const running = new Set<ChildProcess>()
// A test that fails may leave programs running.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function follow(child: ChildProcess): Program {
  running.add(child)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child)
    return { code: code ?? null, ...printed }
  })
  return {
    pid: child.pid ?? 0,
    printed: () => printed.stdout,
    told: () => printed.stderr,
    kill: (signal) => void child.kill(signal),
    ended,
  }
}

function splitArguments(args: string): string[] {
  return [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

async function readRunningPid(
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
    // A zombie, which has exited and was not waited for, is still listed.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
