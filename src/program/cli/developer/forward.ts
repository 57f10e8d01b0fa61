import { setTimeout as sleep } from 'node:timers/promises'
import { signatureHeaders } from '#backoffice/webhooks/sign.ts'
import { monotonicMs, systemClock } from '#base/kit/clock.ts'
import { openConnectionPool } from '#base/net/pool.ts'
import { sendRequest } from '#base/net/request.ts'
import type { FeedEvent } from './stream.ts'

/** What the developer's program answered, or why there was no answer. */
export type Forwarded = { status: number; tookMs: number } | { problem: string; tookMs: number }

export interface Forwarder {
  /** Posts an event as a signed webhook, once; waits for a program that is not there. */
  send(event: FeedEvent): Promise<Forwarded>
  close(): void
}

// As long as the gateway waits for a merchant's answer.
const deadlineMs = 10_000
const retryMs = 1000

/**
 * Opens the way to a program on the developer's machine. An event that provably did not reach it,
 * since nobody listens, waits until somebody does; `tell` is told of it. One that may have arrived
 * is never sent again.
 */
export function openForwarder(
  { url, secret, signal }: { url: string; secret: string; signal: AbortSignal },
  tell: (sentence: string) => void,
): Forwarder {
  const { origin, pathname, search } = new URL(url)
  const pool = openConnectionPool(origin, { connectionsMax: 1, idleMs: 2000 })

  async function post({ id, event }: FeedEvent) {
    const body = JSON.stringify(event)
    const signed = signatureHeaders({ id, sentAt: systemClock.now(), body }, [secret])
    const beganMs = monotonicMs()
    const result = await sendRequest(pool, {
      method: 'POST',
      path: pathname + search,
      headers: { ...signed, 'content-type': 'application/json', 'user-agent': 'Passerelle' },
      body,
      deadlineMs,
      bodyBytesMax: 65_536,
      whenTooLong: 'truncate',
    })
    return { result, tookMs: Math.round(monotonicMs() - beganMs) }
  }

  return {
    send: async (event) => {
      for (let isWaiting = false; ; isWaiting = true) {
        const { result, tookMs } = await post(event)
        signal.throwIfAborted()
        if (result.kind === 'answered') return { status: result.status, tookMs }
        if (result.kind === 'lost') return { problem: result.problem.message, tookMs }
        if (!isWaiting)
          tell(`Nobody answers at ${url}: event ${event.cursor} waits until somebody does.`)
        await sleep(retryMs, undefined, { signal })
      }
    },
    close: () => pool.close(),
  }
}
