import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#base/config/config.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Log } from '#base/log/log.ts'
import { openConnectionPool } from '#base/net/pool.ts'
import { type RequestResult, sendRequest } from '#base/net/request.ts'
import { type LabProcess, labFolder, readLabFile, spawnLab, writeLabFile } from './lab-process.ts'

const usualPort = 8081
const askAgainMs = 1000

/** The provider lab of a sandbox: a program of its own, which imports nothing of the gateway. */
export interface Lab {
  url: string
  /** Sets the address for webhooks of providers that have one address for all orders. */
  sendWebhooksTo(url: string): Promise<void>
  /** Stops the lab, if this gateway started it. */
  stop(): Promise<void>
}

/**
 * Uses the lab of another gateway of this installation, or one that already listens on LAB_PORT, or
 * starts one: on LAB_PORT, else on the usual port or any free one. A lab of this installation that
 * ends is started again, at the same address.
 */
export async function startLab(config: Config, log: Log): Promise<Lab> {
  const stopping = new AbortController()
  const wanted = config.labPort ? urlOf(config.labPort) : undefined
  const url = wanted ?? (await readLabFile(config))?.url
  const shared = url && (await findShared(config, url, stopping.signal))
  if (shared) return keepLab(shared, { config, log, stopping })
  if (wanted !== undefined && (await folderAt(wanted)) !== undefined) {
    await writeLabFile(config, { url: wanted, pid: null })
    // It is somebody else's, who may have set an address for webhooks.
    return { url: wanted, sendWebhooksTo: async () => {}, stop: async () => {} }
  }
  return keepLab(await startNewLab(config), { config, log, stopping })
}

/** The address of this installation's lab by lab.json, else the usual one. */
export async function knownLabUrl(config: Config): Promise<string> {
  return (await readLabFile(config))?.url ?? urlOf(config.labPort ?? usualPort)
}

/** The lab of this installation at an address, which another gateway has started. */
async function findShared(
  config: Config,
  url: string,
  signal: AbortSignal,
): Promise<LabProcess | undefined> {
  const isThere = async () => (await folderAt(url)) === labFolder(config)
  if (!(await isThere())) return undefined
  const ended = async () => {
    do await sleep(askAgainMs, undefined, { signal })
    while (await isThere())
  }
  return { url, ended: ended().catch(() => {}), stop: async () => {} }
}

async function startNewLab(config: Config): Promise<LabProcess> {
  const { labPort } = config
  const started =
    (await spawnLab(config, labPort ?? usualPort)) ??
    (labPort === null ? await spawnLab(config, 0) : undefined)
  if (started !== undefined) return started
  throw new Problem(`LAB_PORT ${labPort} is taken: stop the other program, or set another.`)
}

interface Keeper {
  config: Config
  log: Log
  stopping: AbortController
}

/** Starts the lab again whenever it ends. */
function keepLab(first: LabProcess, { config, log, stopping }: Keeper): Lab {
  const { url } = first
  const { signal } = stopping
  let webhookUrl: string | undefined
  let current = first

  async function startAgain(): Promise<void> {
    log.error({ url }, 'the lab has ended and is started again')
    await sleep(askAgainMs, undefined, { signal })
    // Another gateway that used it may have started it already.
    const lab =
      (await findShared(config, url, signal)) ?? (await spawnLab(config, Number(new URL(url).port)))
    if (lab === undefined) throw new Problem('Is its port taken?')
    current = lab
    if (webhookUrl !== undefined) await setWebhookUrl(url, webhookUrl)
  }

  async function keep(): Promise<void> {
    const isStopping = once(signal, 'abort')
    for (;;) {
      await Promise.race([current.ended, isStopping])
      if (signal.aborted) return
      await startAgain().catch((problem: unknown) => {
        if (!signal.aborted) log.error({ err: problem, url }, 'the lab could not be started')
      })
    }
  }

  const kept = keep()
  return {
    url,
    sendWebhooksTo: async (address) => {
      webhookUrl = address
      await setWebhookUrl(url, address)
    },
    stop: async () => {
      stopping.abort()
      await kept
      await current.stop()
    },
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** The folder of the lab at an address; null: it keeps no books; undefined: there is no lab. */
async function folderAt(url: string): Promise<string | null | undefined> {
  // Not /lab/books, which takes longer the more orders there are. A busy lab may take a while.
  const answer = await ask(url, { method: 'GET', path: '/lab' })
  if (answer.kind !== 'answered' || answer.status !== 200) return undefined
  try {
    return (JSON.parse(answer.body) as { folder?: string | null }).folder
  } catch {
    return undefined
  }
}

async function setWebhookUrl(labUrl: string, url: string): Promise<void> {
  const body = JSON.stringify({ url })
  const answer = await ask(labUrl, { method: 'POST', path: '/lab/webhooks', body })
  if (answer.kind !== 'answered') throw answer.problem
}

async function ask(
  labUrl: string,
  order: { method: 'GET' | 'POST'; path: string; body?: string },
): Promise<RequestResult> {
  const pool = openConnectionPool(labUrl, { connectionsMax: 1, idleMs: 1000 })
  const headers = { 'content-type': 'application/json' }
  const limits = { deadlineMs: 5000, bodyBytesMax: 65_536, whenTooLong: 'lost' } as const
  try {
    return await sendRequest(pool, { headers, ...order, ...limits })
  } finally {
    pool.close()
  }
}
