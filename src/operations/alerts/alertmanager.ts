import { openConnectionPool } from '#base/net/pool.ts'
import { sendRequest } from '#base/net/request.ts'

/** What Alertmanager said, or why it said nothing of use. */
export type Asked<T> = { isAnswered: true; value: T } | { isAnswered: false; why: string }

/** An alert of Alertmanager's interface, version 2, as far as it is used. */
export interface GivenAlert {
  fingerprint: string
  labels: Record<string, string>
  annotations: Record<string, string>
  startsAt: string
  status: { state: string; silencedBy: string[]; inhibitedBy: string[] }
}

/** A silence of the same. */
export interface GivenSilence {
  id: string
  createdBy: string
  endsAt: string
}

// A person waits for it.
const deadlineMs = 3000
// Some forty rules, a few of them for each provider or process.
const answerBytesMax = 2_000_000

/** Alertmanager's interface at an address of the settings; errors are answers too. */
export function openAlertmanager(url: string) {
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/+$/, '')
  const pool = openConnectionPool(origin, { connectionsMax: 4, idleMs: 4000 })

  async function ask<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Asked<T>> {
    const result = await sendRequest(pool, {
      method,
      path: `${prefix}/api/v2${path}`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      deadlineMs,
      bodyBytesMax: answerBytesMax,
      whenTooLong: 'lost',
    })
    if (result.kind !== 'answered')
      return { isAnswered: false, why: (result.problem as { code?: string }).code ?? 'no answer' }
    if (result.status !== 200) return { isAnswered: false, why: `HTTP ${result.status}` }
    return { isAnswered: true, value: readJson(result.body) as T }
  }

  return {
    alerts: () => ask<GivenAlert[]>('GET', '/alerts'),
    silences: () => ask<GivenSilence[]>('GET', '/silences'),
    silence: (order: object) => ask<unknown>('POST', '/silences', order),
    add: (alerts: object[]) => ask<unknown>('POST', '/alerts', alerts),
  }
}

/** Alertmanager answers what it took without a body. */
function readJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return []
  }
}
