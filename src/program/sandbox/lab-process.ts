import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, environmentWith } from '#base/config/config.ts'
import { makeFolders } from '#base/kit/folders.ts'

const program = fileURLToPath(new URL('../../../lab/main.ts', import.meta.url))
// A lab that gets SIGTERM has this long to end, then it is killed.
const endMs = 5000

/** The contents of lab.json. */
export interface LabFile {
  url: string
  /** Null: no gateway of this installation started it. */
  pid: number | null
}

/** A running lab of this installation. */
export interface LabProcess {
  url: string
  /** Resolves when it has ended. */
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
    // Real providers do not use the same processors; it works at normal priority too.
    if (pid !== null) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
    await writeLabFile(config, { url, pid })
    const stop = async () => {
      child.kill('SIGTERM')
      const isOver = ended.then(() => true)
      if (!(await Promise.race([isOver, sleep(endMs, false, { ref: false })])))
        child.kill('SIGKILL')
      await isOver
    }
    return { url, ended, stop }
  }
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

/** Where the lab of an installation keeps its books, by which it is known. */
export function labFolder(config: Config): string {
  return resolve(config.dataDir, 'lab')
}
