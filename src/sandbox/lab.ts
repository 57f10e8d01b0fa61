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

/** The provider lab of a sandbox: a program of its own, which knows nothing of us. */
export interface Lab {
  url: string
  /** Tells it where providers that know one address for everything send their webhooks. */
  sendWebhooksTo(url: string): Promise<void>
  /** Ends it, if it is this installation's. */
  stop(): Promise<void>
}

interface Seen {
  url: string
  /** Null: somebody else's. */
  pid: number | null
}

/**
 * Finds the lab that this installation left behind when it was killed, shares the one on the port
 * that was asked for, or starts one: on the usual port, or any free one when that is taken.
 */
export async function startLab(config: Config): Promise<Lab> {
  const seen = (await leftBehind(config)) ?? (await share(config)) ?? (await start(config))
  await makeFolders(config.dataDir)
  await writeFile(seenFile(config), `${JSON.stringify(seen)}\n`)
  return {
    url: seen.url,
    sendWebhooksTo: async (url) => {
      if (seen.pid !== null) await tell(seen.url, '/lab/webhooks', { url })
    },
    stop: () => end(seen),
  }
}

/** Where the lab of this installation was last seen. */
export async function knownLabUrl(config: Config): Promise<string> {
  return (await readSeen(config))?.url ?? urlOf(config.labPort ?? usualPort)
}

async function leftBehind(config: Config): Promise<Seen | undefined> {
  const seen = await readSeen(config)
  const isWanted = !config.labPort || seen?.url === urlOf(config.labPort)
  return seen !== undefined && isWanted && (await isLab(seen.url)) ? seen : undefined
}

async function share(config: Config): Promise<Seen | undefined> {
  if (config.labPort === null || config.labPort === 0) return undefined
  const url = urlOf(config.labPort)
  return (await isLab(url)) ? { url, pid: null } : undefined
}

async function start(config: Config): Promise<Seen> {
  const started =
    (await run(config.labPort ?? usualPort)) ?? (config.labPort === null ? await run(0) : undefined)
  if (started !== undefined) return started
  throw new Problem(`LAB_PORT ${config.labPort} is taken: stop the other program, or set another.`)
}

async function run(port: number): Promise<Seen | undefined> {
  // A session of its own: Ctrl-C is for the gateway, and orders outlive a gateway that is killed.
  const child = spawn(process.execPath, [program, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { listening } = JSON.parse(line) as { listening: string }
    child.unref()
    if (child.pid !== undefined) await standBack(child.pid)
    return { url: listening, pid: child.pid ?? null }
  }
  return undefined
}

/** Where processors are short, the gateway goes first: real providers do not run on them. */
async function standBack(pid: number): Promise<void> {
  const niceness = constants.priority.PRIORITY_BELOW_NORMAL
  try {
    setPriority(pid, niceness)
    // Linux may share processors by sessions first, and looks at priorities within one only.
    await writeFile(`/proc/${pid}/autogroup`, String(niceness))
  } catch {
    // It is as fast as it is.
  }
}

async function end({ url, pid }: Seen): Promise<void> {
  if (pid === null || !(await isLab(url))) return
  try {
    process.kill(pid, 'SIGTERM')
    for (let polls = 0; polls < 100; polls += 1) {
      process.kill(pid, 0)
      await sleep(20)
    }
  } catch {
    // Gone.
  }
}

async function readSeen(config: Config): Promise<Seen | undefined> {
  try {
    return JSON.parse(await readFile(seenFile(config), 'utf8')) as Seen
  } catch {
    return undefined
  }
}

function seenFile(config: Config): string {
  return join(config.dataDir, 'lab.json')
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

async function isLab(url: string): Promise<boolean> {
  try {
    // Not the books: they take longer the more orders there are.
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

async function tell(url: string, path: string, message: object): Promise<void> {
  const { body } = await request(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  })
  await body.dump()
}
