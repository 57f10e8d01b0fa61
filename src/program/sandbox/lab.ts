import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#base/config/config.ts'
import { Problem } from '#base/kit/problem.ts'
import { countStarts } from '#base/kit/restarts.ts'
import type { Log } from '#base/log/log.ts'
import { openConnectionPool } from '#base/net/pool.ts'
import { type RequestResult, sendRequest } from '#base/net/request.ts'
import { findLab, type LabProcess, readLabFile, spawnLab, writeLabFile } from './lab-process.ts'

const usualPort = 8081

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
  const found = await findWantedLab(config, stopping.signal)
  if (found !== undefined) return keepLab(found, { config, log, stopping })
  if (config.labPort && (await isLab(urlOf(config.labPort)))) {
    const url = urlOf(config.labPort)
    await writeLabFile(config, { url, pid: null, gatewayPid: null })
    // It is somebody else's, who may have set an address for webhooks.
    return { url, sendWebhooksTo: async () => {}, stop: async () => {} }
  }
  return keepLab(await startNewLab(config), { config, log, stopping })
}

/** The address of this installation's lab by lab.json, else the usual one. */
export async function knownLabUrl(config: Config): Promise<string> {
  return (await readLabFile(config))?.url ?? urlOf(config.labPort ?? usualPort)
}

async function findWantedLab(config: Config, signal: AbortSignal): Promise<LabProcess | undefined> {
  const lab = await findLab(config, signal)
  return !config.labPort || lab?.url === urlOf(config.labPort) ? lab : undefined
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

/** Starts the lab again whenever it ends: at once, then after longer and longer delays. */
function keepLab(first: LabProcess, { config, log, stopping }: Keeper): Lab {
  const { url } = first
  const { signal } = stopping
  const starts = countStarts()
  let webhookUrl: string | undefined
  let current: LabProcess | undefined = first

  async function startAgain(): Promise<LabProcess | undefined> {
    const waitMs = starts.endedMs()
    log.error({ url, waitMs }, 'the lab has ended and is started again')
    await sleep(waitMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return undefined
    starts.begin()
    // Another gateway that used it may have started it already.
    const lab =
      (await findLab(config, signal)) ?? (await spawnLab(config, Number(new URL(url).port)))
    if (lab === undefined) log.error({ url }, 'the lab could not be started: is its port taken?')
    else if (webhookUrl !== undefined) await setWebhookUrl(url, webhookUrl)
    return lab
  }

  async function keep(): Promise<void> {
    const isStopping = once(signal, 'abort')
    while (!signal.aborted) {
      await Promise.race([current?.ended, isStopping])
      if (signal.aborted) return
      current = await startAgain().catch((problem: unknown) => {
        log.error({ err: problem }, 'the lab could not be started')
        return undefined
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
      await current?.stop()
    },
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

async function isLab(url: string): Promise<boolean> {
  // Not /lab/books, which takes longer the more orders there are. A busy lab may take a while.
  const answer = await ask(url, { method: 'GET', path: '/lab' })
  return answer.kind === 'answered' && answer.status === 200 && answer.body.includes('"orders"')
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
