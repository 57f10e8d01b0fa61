import { setTimeout as sleep } from 'node:timers/promises'
import { openOriginPools } from '../src/net/pool.ts'
import { sendRequest } from '../src/net/request.ts'

/** One callback, ready to be sent. */
export interface Message {
  method: 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  body: string
  /** A forger does not insist. */
  isForged?: boolean
}

/** Who carries callbacks. */
export interface Courier {
  /** Sends a message, again after a failure, and ends when it arrived or was given up. */
  deliver(message: Message): Promise<void>
  close(): void
}

const retryAfterMs = [1000, 2000, 4000]
const patience = { deadlineMs: 5000, bodyBytesMax: 65_536, whenTooLong: 'truncate' } as const

/** Opens the connections over which callbacks are sent; they are kept and used again. */
export function openCourier(pace: number): Courier {
  const pools = openOriginPools({ connectionsMax: 256, idleMs: 4000 })
  const closing = new AbortController()

  /** Sends once; true when the receiver said 2xx. */
  async function send({ method, url, headers, body }: Message): Promise<boolean> {
    const { origin, pathname, search } = new URL(url)
    const { status } = await sendRequest(pools.poolOf(origin), {
      method,
      path: pathname + search,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      ...patience,
    })
    return status !== null && status >= 200 && status < 300
  }

  async function deliver(message: Message): Promise<void> {
    for (const waitMs of [...retryAfterMs, undefined]) {
      if (await send(message)) return
      if (waitMs === undefined || message.isForged) return
      await sleep(waitMs / pace, undefined, { ref: false, signal: closing.signal })
    }
  }

  return {
    deliver: (message) => deliver(message).catch(() => undefined),
    close: () => {
      closing.abort()
      pools.close()
    },
  }
}

/** The same address with another last path segment, as somebody who guesses would write it. */
export function wrongAddress(url: string): string {
  const address = new URL(url)
  const segments = address.pathname.split('/')
  const last = segments.findLastIndex((segment) => segment !== '')
  // The first character, since the last one of a base64 text may carry bits that do not count.
  const guessed = (segments[last] ?? '').replace(/^./, (first) => (first === '0' ? '1' : '0'))
  address.pathname = last === -1 ? '/forged' : segments.with(last, guessed).join('/')
  return address.href
}
