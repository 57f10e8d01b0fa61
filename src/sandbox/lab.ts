import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { Config } from '../config/config.ts'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'

const program = fileURLToPath(new URL('../../lab/main.ts', import.meta.url))
const usualPort = 8081

/** The provider lab of a sandbox: a program of its own, which imports nothing of the gateway. */
export interface Lab {
  url: string
  /** Sets the address for webhooks of providers that have one address for all orders. */
  sendWebhooksTo(url: string): Promise<void>
  /** Stops the lab, if this installation started it. */
  stop(): Promise<void>
}

/** The contents of lab.json. */
interface LabFile {
  url: string
  /** Null: this installation did not start it. */
  pid: number | null
}

/**
 * Uses the lab that this installation left running when it was killed, or one that already listens
 * on LAB_PORT, or starts one: on LAB_PORT, else on the usual port or any free one.
 */
export async function startLab(config: Config): Promise<Lab> {
  const lab =
    (await findOwnLab(config)) ?? (await findForeignLab(config)) ?? (await startNewLab(config))
  await makeFolders(config.dataDir)
  await writeFile(labFilePath(config), `${JSON.stringify(lab)}\n`)
  return {
    url: lab.url,
    sendWebhooksTo: async (url) => {
      if (lab.pid !== null) await post(`${lab.url}/lab/webhooks`, { url })
    },
    stop: () => stopLab(lab),
  }
}

/** The address of this installation's lab by lab.json, else the usual one. */
export async function knownLabUrl(config: Config): Promise<string> {
  return (await readLabFile(config))?.url ?? urlOf(config.labPort ?? usualPort)
}

async function findOwnLab(config: Config): Promise<LabFile | undefined> {
  const lab = await readLabFile(config)
  const isWanted = !config.labPort || lab?.url === urlOf(config.labPort)
  return lab !== undefined && isWanted && (await isLab(lab.url)) ? lab : undefined
}

async function findForeignLab(config: Config): Promise<LabFile | undefined> {
  if (config.labPort === null || config.labPort === 0) return undefined
  const url = urlOf(config.labPort)
  return (await isLab(url)) ? { url, pid: null } : undefined
}

async function startNewLab({ labPort }: Config): Promise<LabFile> {
  const started =
    (await spawnLab(labPort ?? usualPort)) ?? (labPort === null ? await spawnLab(0) : undefined)
  if (started !== undefined) return started
  throw new Problem(`LAB_PORT ${labPort} is taken: stop the other program, or set another.`)
}

/** Starts a lab; undefined when it cannot listen on the port. */
async function spawnLab(port: number): Promise<LabFile | undefined> {
  // A session of its own: Ctrl-C does not reach it, and its orders survive a killed gateway.
  const child = spawn(process.execPath, [program, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { listening } = JSON.parse(line) as { listening: string }
    child.unref()
    if (child.pid !== undefined) await lowerPriority(child.pid)
    return { url: listening, pid: child.pid ?? null }
  }
  return undefined
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

async function stopLab({ url, pid }: LabFile): Promise<void> {
  if (pid === null || !(await isLab(url))) return
  try {
    process.kill(pid, 'SIGTERM')
    for (let polls = 0; polls < 100; polls += 1) {
      process.kill(pid, 0)
      await sleep(20)
    }
  } catch {
    // The process has exited.
  }
}

async function readLabFile(config: Config): Promise<LabFile | undefined> {
  try {
    return JSON.parse(await readFile(labFilePath(config), 'utf8')) as LabFile
  } catch {
    return undefined
  }
}

function labFilePath(config: Config): string {
  return join(config.dataDir, 'lab.json')
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

async function isLab(url: string): Promise<boolean> {
  try {
    // Not /lab/books, which takes longer the more orders there are.
    const { statusCode, body } = await request(`${url}/lab`, {
      headersTimeout: 1000,
      bodyTimeout: 1000,
    })
    const text = await body.text()
    return statusCode === 200 && text.includes('"orders"')
  } catch {
    return false
  }
}

async function post(url: string, message: object): Promise<void> {
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  })
  await body.dump()
}
