import { setTimeout as sleep } from 'node:timers/promises'
import { isThisMachine } from '../config/addresses.ts'
import { Problem } from '../kit/problem.ts'
import { openConnectionPool } from '../net/pool.ts'
import { sendRequest } from '../net/request.ts'
import type { Step, Steps } from './wire.ts'
import { writeBody } from './wire.ts'

/** The other cell, as the one that a client leaves talks to it. */
export interface Peer {
  url: string
  ask<Name extends Step>(
    step: Name,
    asked: Steps[Name]['asked'],
    lines?: string[],
  ): Promise<Steps[Name]['answer']>
  close(): void
}

interface PeerParts {
  url: string
  token: string
  moveId: string
  /** How often a request that got no answer is sent again: each step can be done twice. */
  triesMax?: number
}

const usualDeadlineMs = 120_000
// To read all rows of a client may take long; meanwhile the other cell sends blanks.
const digestDeadlineMs = 3_600_000
const pauseMs = 300

/** Opens the connection to another cell; throws for an address that would show rows to others. */
export function openPeer({ url, token, moveId, triesMax = 5 }: PeerParts): Peer {
  const { origin, pathname, protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !isThisMachine(hostname))
    throw new Problem(`Rows are not sent over http: use https:// for ${hostname}.`)
  const pool = openConnectionPool(origin, { connectionsMax: 4, idleMs: 5000 })
  const base = pathname.replace(/\/+$/, '')
  const headers = { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${token}` }

  async function send(step: Step, body: string, tries = 1): Promise<string> {
    const result = await sendRequest(pool, {
      method: 'POST',
      path: `${base}/moves/${moveId}/${step}`,
      headers,
      body,
      deadlineMs: step === 'digest' ? digestDeadlineMs : usualDeadlineMs,
      bodyBytesMax: 1_000_000,
      whenTooLong: 'lost',
    })
    if (result.kind === 'answered' && result.status === 200) return result.body
    const isTemporary = result.kind !== 'answered' || [429, 502, 503, 504].includes(result.status)
    if (isTemporary && tries < triesMax) {
      await sleep(pauseMs * tries)
      return send(step, body, tries + 1)
    }
    const why = result.kind === 'answered' ? refusalIn(result) : result.problem.message
    throw new Problem(`The cell at ${url} did not do "${step}": ${why}`)
  }

  return {
    url,
    ask: async (step, asked, lines = []) => JSON.parse(await send(step, writeBody(asked, lines))),
    close: pool.close,
  }
}

/** The sentences of an error answer. */
function refusalIn({ status, body }: { status: number; body: string }): string {
  if (status === 404) return 'it has no CELL_TOKEN, or another one, or is no gateway'
  try {
    const { message } = JSON.parse(body) as { message?: string | string[] }
    return [message ?? `status ${status}`].flat().join('; ')
  } catch {
    return `status ${status}`
  }
}
