import { openConnections } from '../net/pool.ts'
import type { Answered } from '../net/request.ts'
import { exchange } from '../net/request.ts'

export type { Answered } from '../net/request.ts'

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
  close(): void
}

// No protocol needs more; a provider that sends more is not read to the end.
const answerBytesMax = 64 * 1024
const idleMs = 4000

/**
 * Speaks HTTP to one provider over connections of its own, so that none waits for another's. Does
 * not follow redirects and does not repeat requests.
 */
export function openHttpClient(baseUrl: string, connectionsMax: number): HttpClient {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const connections = openConnections(origin, { connectionsMax, idleMs })
  return {
    call: async ({ method, path, headers, body, deadlineMs }) => {
      const exchanged = await exchange(connections, {
        method,
        path: `${prefix}${path}`,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        deadlineMs,
        bytesMax: answerBytesMax,
        whenLonger: 'lost',
      })
      if (exchanged.kind === 'answered') return exchanged
      const { kind, problem } = exchanged
      return { kind, reason: (problem as { code?: string }).code ?? problem.message }
    },
    close: () => connections.close(),
  }
}
