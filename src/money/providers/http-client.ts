import { openConnectionPool } from '#base/net/pool.ts'
import type { ProviderNames } from '#base/net/provider-names.ts'
import { type HttpResponse, sendRequest } from '#base/net/request.ts'

export type { HttpResponse } from '#base/net/request.ts'

/** One request to a provider. */
export interface Call {
  method: 'GET' | 'POST'
  /** Appended to the provider's base URL; begins with a slash. */
  path: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Wall time from the call to the last byte of the answer. */
  deadlineMs: number
}

/** The result of a request; errors are results too, nothing is thrown. */
export type Reply =
  | HttpResponse
  /** Proof that no byte of the request was sent. `isHeldBack`: by us, not by the network. */
  | { kind: 'not_sent'; reason: string; isHeldBack?: true }
  /** The request may have arrived, but no complete answer came back. */
  | { kind: 'lost'; reason: string }

export interface HttpClient {
  call(call: Call): Promise<Reply>
  close(): void
}

// No protocol needs more. Of a longer answer the rest is not read, and the reply is `lost`.
const answerBytesMax = 64 * 1024
const idleMs = 4000

/**
 * An HTTP client for one provider, with its own connections, so that no provider waits for another.
 * It does not follow redirects and does not repeat requests.
 */
export function openHttpClient(
  baseUrl: string,
  connectionsMax: number,
  names?: ProviderNames,
): HttpClient {
  const { origin, hostname, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  names?.keep(hostname.replace(/^\[|\]$/g, ''))
  const pool = openConnectionPool(origin, { connectionsMax, idleMs, lookup: names?.lookup })
  return {
    call: async ({ method, path, headers, body, deadlineMs }) => {
      const result = await sendRequest(pool, {
        method,
        path: `${prefix}${path}`,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        deadlineMs,
        bodyBytesMax: answerBytesMax,
        whenTooLong: 'lost',
      })
      if (result.kind === 'answered') return result
      const { kind, problem } = result
      return { kind, reason: (problem as { code?: string }).code ?? problem.message }
    },
    close: () => pool.close(),
  }
}
