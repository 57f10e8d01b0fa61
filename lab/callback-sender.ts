import { setTimeout as sleep } from 'node:timers/promises'
import { openOriginPools } from '#base/net/pool.ts'
import { sendRequest } from '#base/net/request.ts'

/** The HTTP request of a callback. */
export interface CallbackRequest {
  method: 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  body: string
  /** A forged callback is sent only once. */
  isForged?: boolean
}

export interface CallbackSender {
  /** Sends a callback, with retries; resolves when it arrived or was given up, never rejects. */
  deliver(request: CallbackRequest): Promise<void>
  close(): void
}

const retryAfterMs = [1000, 2000, 4000]
const limits = { deadlineMs: 5000, bodyBytesMax: 65_536, whenTooLong: 'truncate' } as const

/** Opens a sender whose connections are kept alive and reused. */
export function openCallbackSender(pace: number): CallbackSender {
  const pools = openOriginPools({ connectionsMax: 256, idleMs: 4000 })
  const closing = new AbortController()

  /** Sends once; true when the receiver answered 2xx. */
  async function send({ method, url, headers, body }: CallbackRequest): Promise<boolean> {
    const { origin, pathname, search } = new URL(url)
    const { status } = await sendRequest(pools.poolOf(origin), {
      method,
      path: pathname + search,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      ...limits,
    })
    return status !== null && status >= 200 && status < 300
  }

  async function deliver(request: CallbackRequest): Promise<void> {
    for (const waitMs of [...retryAfterMs, undefined]) {
      if (await send(request)) return
      if (waitMs === undefined || request.isForged) return
      await sleep(waitMs / pace, undefined, { ref: false, signal: closing.signal })
    }
  }

  return {
    deliver: (request) => deliver(request).catch(() => undefined),
    close: () => {
      closing.abort()
      pools.close()
    },
  }
}

/** The URL with a wrong code in its last path segment, as if somebody had guessed it. */
export function forgedUrl(url: string): string {
  const address = new URL(url)
  const segments = address.pathname.split('/')
  const last = segments.findLastIndex((segment) => segment !== '')
  // The first character: the last one of a base64 text may have bits that decoding ignores.
  const guessed = (segments[last] ?? '').replace(/^./, (first) => (first === '0' ? '1' : '0'))
  address.pathname = last === -1 ? '/forged' : segments.with(last, guessed).join('/')
  return address.href
}
