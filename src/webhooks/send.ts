import type { Mode } from '../config/config.ts'
import { monotonicMs } from '../kit/clock.ts'
import { checkLiteral, ForbiddenAddress } from '../net/guard.ts'
import type { WayOut } from '../net/pool.ts'
import { exchange, TooLate } from '../net/request.ts'
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
  wayOut: WayOut
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
export async function sendWebhook({ wayOut, mode, url, headers, body }: Sending): Promise<Sent> {
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
    const { origin, pathname, search } = checkLiteral(url, mode)
    const exchanged = await exchange(wayOut.to(origin), {
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Passerelle' },
      body,
      deadlineMs,
      bytesMax: readBytesMax,
      whenLonger: 'cut',
    })
    const { status, headers: said } = exchanged
    const retryAfter = said['retry-after']
    if (exchanged.kind === 'answered') {
      const excerpt = withoutCodes(exchanged.body, body).slice(0, excerptLength)
      return end({ status, retryAfter, excerpt: storable(excerpt) })
    }
    // A body that did not end in time takes nothing back: the status had been said.
    if (status !== null && status >= 200 && status < 300) return end({ status })
    return end({ status, retryAfter, problem: describe(exchanged.problem) })
  } catch (problem) {
    return end({ problem: describe(problem) })
  }
}

/** Text that the database takes: it knows neither NUL nor a letter that was cut in two. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}

function describe(problem: unknown): string {
  if (problem instanceof ForbiddenAddress) return problem.message
  const { code, message, cause } = problem as Error & { code?: string; cause?: unknown }
  if (cause instanceof ForbiddenAddress) return cause.message
  if (problem instanceof TooLate) return 'no whole answer within 10 s'
  return storable((code ?? message ?? 'no answer').slice(0, 200))
}
