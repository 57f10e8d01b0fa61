import type { Mode } from '../config/config.ts'
import { toStorable } from '../db/storable-text.ts'
import { monotonicMs } from '../kit/clock.ts'
import { ForbiddenAddress, parseAllowedUrl } from '../net/guard.ts'
import type { OriginPools } from '../net/pool.ts'
import { DeadlineExceeded, sendRequest } from '../net/request.ts'
import { withoutCodes } from './body-safe.ts'

/** What came of one try. */
export interface Sent {
  /** Null: no answer. */
  status: number | null
  durationMs: number
  problem: string | null
  /** The first bytes of the answer. */
  excerpt: string
  retryAfter: string | undefined
}

interface Sending {
  pools: OriginPools
  mode: Mode
  url: string
  headers: Record<string, string>
  body: string
}

// For everything together, by the wall clock: a receiver that drips is cut off like one that hangs.
const deadlineMs = 10_000
const readBytesMax = 65_536
const excerptLength = 500

/** Sends one webhook. Whatever the receiver does, it ends soon, and it never throws. */
export async function sendWebhook({ pools, mode, url, headers, body }: Sending): Promise<Sent> {
  const startedMs = monotonicMs()
  const end = (part: Partial<Sent>): Sent => ({
    status: null,
    problem: null,
    excerpt: '',
    retryAfter: undefined,
    ...part,
    durationMs: Math.round(monotonicMs() - startedMs),
  })
  try {
    const { origin, pathname, search } = parseAllowedUrl(url, mode)
    const result = await sendRequest(pools.poolOf(origin), {
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Passerelle' },
      body,
      deadlineMs,
      bodyBytesMax: readBytesMax,
      whenTooLong: 'truncate',
    })
    const { status, headers: said } = result
    const retryAfter = said['retry-after']
    if (result.kind === 'answered') {
      const excerpt = withoutCodes(result.body, body).slice(0, excerptLength)
      return end({ status, retryAfter, excerpt: toStorable(excerpt) })
    }
    // A body that did not end in time takes nothing back: the status had been said.
    if (status !== null && status >= 200 && status < 300) return end({ status })
    return end({ status, retryAfter, problem: describe(result.problem) })
  } catch (problem) {
    return end({ problem: describe(problem) })
  }
}

function describe(problem: unknown): string {
  if (problem instanceof ForbiddenAddress) return problem.message
  const { code, message, cause } = problem as Error & { code?: string; cause?: unknown }
  if (cause instanceof ForbiddenAddress) return cause.message
  if (problem instanceof DeadlineExceeded) return 'no whole answer within 10 s'
  return toStorable((code ?? message ?? 'no answer').slice(0, 200))
}
