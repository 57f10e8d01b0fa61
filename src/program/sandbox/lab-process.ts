import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, environmentWith } from '#base/config/config.ts'
import { makeFolders } from '#base/kit/folders.ts'

const program = fileURLToPath(new URL('../../../lab/main.ts', import.meta.url))
const pollMs = 100
const sharedPollMs = 1000
// A lab that gets SIGTERM has this long to end, then it is killed.
const endPollsMax = 50

/** The contents of lab.json. */
export interface LabFile {
  url: string
  /** Null: no gateway of this installation started it. */
  pid: number | null
  /** The gateway that started it. */
  gatewayPid: number | null
}

/** A running lab of this installation. */
export interface LabProcess {
  url: string
  /** Resolves when it has ended; or, for the lab of another gateway, when `signal` is aborted. */
  ended: Promise<unknown>
  /** Ends it, unless it is another gateway's. */
  stop(): Promise<void>
}

/**
 * Starts a lab and writes lab.json; undefined when it cannot listen on the port. It ends by itself
 * when this process is gone: its standard input then closes. It has a session of its own, so that
 * Ctrl-C does not reach it, and its books are in the data folder.
 */
export async function spawnLab(config: Config, port: number): Promise<LabProcess | undefined> {
  const args = [program, '--port', String(port), '--until-input-closes']
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: environmentWith({ LAB_DATA: labFolder(config) }),
    detached: true,
  })
  // It rejects when there is no room for another process.
  const ended = once(child, 'exit').catch(() => {})
  // Without a listener the error event of a pipe whose reader is gone would end the process.
  child.stdin.on('error', () => {})
  for await (const line of createInterface({ input: child.stdout })) {
    const { listening: url } = JSON.parse(line) as { listening: string }
    child.unref()
    const pid = child.pid ?? null
    if (pid !== null) await lowerPriority(pid)
    await writeLabFile(config, { url, pid, gatewayPid: process.pid })
    return { url, ended, stop: () => endProcess(child.kill.bind(child), ended) }
  }
  return undefined
}

/** The lab that another gateway of this installation runs; one whose gateway is gone is ended. */
export async function findLab(
  config: Config,
  signal: AbortSignal,
): Promise<LabProcess | undefined> {
  const file = await readLabFile(config)
  const { pid, gatewayPid } = file ?? {}
  if (file === undefined || !pid || !gatewayPid || !(await isLabOf(config, pid))) return undefined
  if (await isChildOf(pid, gatewayPid))
    return {
      url: file.url,
      ended: untilGone(config, pid, sharedPollMs, signal),
      stop: async () => {},
    }
  const kill = (name: NodeJS.Signals) => process.kill(pid, name)
  await endProcess(kill, untilGone(config, pid, pollMs)).catch(() => {})
  return undefined
}

export async function readLabFile(config: Config): Promise<LabFile | undefined> {
  try {
    return JSON.parse(await readFile(labFilePath(config), 'utf8')) as LabFile
  } catch {
    return undefined
  }
}

export async function writeLabFile(config: Config, file: LabFile): Promise<void> {
  await makeFolders(config.dataDir)
  // Renamed into place: a command that reads it meanwhile must not find half of it.
  const draft = `${labFilePath(config)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(file)}\n`)
  await rename(draft, labFilePath(config))
}

function labFilePath(config: Config): string {
  return join(config.dataDir, 'lab.json')
}

function labFolder(config: Config): string {
  return join(config.dataDir, 'lab')
}

/** Gives the gateway precedence over the lab: real providers do not use the same processors. */
async function lowerPriority(pid: number): Promise<void> {
  const niceness = constants.priority.PRIORITY_BELOW_NORMAL
  try {
    setPriority(pid, niceness)
    // With autogrouping Linux shares the processors among sessions first: priorities then count
    // within a session only, and this file sets the session's.
    await writeFile(`/proc/${pid}/autogroup`, String(niceness))
  } catch {
    // The lab works at normal priority too.
  }
}

/**
 * Whether a process is a lab of this installation: its program and its folder prove it. The pid
 * alone proves nothing, since another process may have it now. Without /proc there is no proof.
 */
async function isLabOf(config: Config, pid: number): Promise<boolean> {
  const [command = '', environment = ''] = await Promise.all(
    ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  )
  const isOfFolder = environment.split('\0').includes(`LAB_DATA=${labFolder(config)}`)
  return isOfFolder && command.split('\0').includes(program)
}

/** A process whose parent has ended has another parent, or none. */
async function isChildOf(pid: number, parentPid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return new RegExp(`^PPid:\\s+${parentPid}$`, 'm').test(status)
}

async function untilGone(
  config: Config,
  pid: number,
  everyMs: number,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await isLabOf(config, pid))) await sleep(everyMs)
}

async function endProcess(
  kill: (signal: NodeJS.Signals) => void,
  ended: Promise<unknown>,
): Promise<void> {
  kill('SIGTERM')
  const isOver = ended.then(() => true)
  for (let polls = 0; polls < endPollsMax; polls += 1)
    if (await Promise.race([isOver, sleep(pollMs, false)])) return
  kill('SIGKILL')
  await isOver
}
