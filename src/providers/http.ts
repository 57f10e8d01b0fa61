import { Pool } from 'undici'
import type { Answered } from '../kit/exchange.ts'
import { exchange } from '../kit/exchange.ts'

export type { Answered } from '../kit/exchange.ts'

/** One request to a provider. */
export interface Call {
  method: 'GET' | 'POST'
  /** Goes behind the provider's base address; begins with a slash. */
  path: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Wall time from the call to the last byte of the answer. */
  deadlineMs: number
}

/** What became of a request: nothing is ever thrown. */
export type Reply =
  | Answered
  /** Proof that not one byte of it left. */
  | { kind: 'not_sent'; reason: string }
  /** It may have arrived; what was made of it is not known. */
  | { kind: 'lost'; reason: string }

export interface HttpClient {
  call(call: Call): Promise<Reply>
  close(): Promise<void>
}

// No protocol needs more; a provider that sends more is not read to the end.
const answerBytesMax = 64 * 1024
// A host that does not take the connection by then is down; nothing was sent, so giving up is safe.
const connectTimeoutMs = 3000

/**
 * Speaks HTTP to one provider over connections of its own, so that none waits for another's. Does
 * not follow redirects and does not repeat requests.
 */
export function openHttpClient(baseUrl: string, connectionsMax: number): HttpClient {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, {
    connections: connectionsMax,
    // One connection, one request: the loss of one answer is never the loss of two.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
    // Both only watch pauses, which a dripping answer never makes; the deadline watches the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    call: async ({ method, path, headers, body, deadlineMs }) => {
      const exchanged = await exchange(pool, {
        method,
        path: `${prefix}${path}`,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        deadlineMs,
        bytesMax: answerBytesMax,
        whenLonger: 'lost',
      })
      if (exchanged.kind === 'answered') return exchanged
      const { kind, problem } = exchanged
      return { kind, reason: (problem as { code?: string }).code ?? problem.message }
    },
    close: () => pool.destroy(),
  }
}
